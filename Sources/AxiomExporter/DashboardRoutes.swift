// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomDashboard
internal import AxiomHTTP
internal import AxiomMetricsExporter

/// The dashboard over HTTP, as `Dashboards/web/PROTOCOL.md` describes it.
struct DashboardRoutes: Sendable {
    let dashboard: Dashboard
    let access: DashboardAccess
    private let cache = PageCache()
    /// The most bytes of the page, compressed.
    static let pageLimit = 32_000

    init(dashboard: Dashboard, access: DashboardAccess) {
        self.dashboard = dashboard
        self.access = access
    }

    var all: [HTTPRoute] {
        [
            route("/") { await page($0) },
            route("/api/snapshot") { snapshot($0) },
            route("/api/stream") { stream($0) },
            route("/api/errors/{id}") { errors($0) },
            route("/export.html") { await export($0) },
            route("/codes") { codes($0) },
            route("/api/state") { answer($0, dashboard.states(of: $0.queryValue("component"))) },
            route("/api/state/{id}") { state($0) },
            route("/api/inspect") { answer($0, await dashboard.inspection()) },
        ] + traceRoutes + actionRoutes
    }

    /// Handlers run on a task: a page or a snapshot takes milliseconds, which should not occupy a network thread.
    func route(_ path: String, _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse) -> HTTPRoute {
        .get(path) { [access] request in
            if let refusal = access.refusal(request) { return refusal }
            return await answer(request)
        }
    }

    private func page(_ request: HTTPRequest) async -> HTTPResponse {
        var headers = Self.headers("text/html; charset=utf-8")
        headers["Content-Security-Policy"] = Dashboard.pagePolicy
        let page = await cache.page("/") {
            var compressed: HTTPBody?
            let plain = dashboard.page(export: "export.html\(access.query)") { page in
                compressed = Gzip.compress(HTTPBody(page), isSmallest: true)
                return (compressed?.count ?? 0) <= Self.pageLimit
            }
            return PageCache.Page(plain: HTTPBody(plain), compressed: compressed)
        }
        return Self.answer(request, headers, page.plain) { page.compressed }
    }

    private func snapshot(_ request: HTTPRequest) -> HTTPResponse {
        switch request.queryValue("version") {
        case nil, "1": break
        case "2": return Self.json(request, dashboard.exportedSnapshot())
        case .some(let version): return Self.refuse(QueryError("version", version, "give 1 or 2"))
        }
        let since = request.queryValue("since").flatMap { Int($0) }
        let json = since.map { dashboard.update(since: $0, instance: request.queryValue("instance") ?? "") }
        return Self.json(request, json ?? dashboard.snapshot())
    }

    /// Renders a state, which runs code of the application.
    private func state(_ request: HTTPRequest) -> HTTPResponse {
        let (id, update) = (request.parameters["id"] ?? "", request.queryValue("update"))
        return answer(request, dashboard.state(id, update: update))
    }

    func answer(_ request: HTTPRequest, _ answer: StateAnswer) -> HTTPResponse {
        let body = HTTPBody(answer.json)
        var response = Self.answer(request, Self.headers("application/json"), body) { Gzip.compress(body) }
        response.status = HTTPStatus(answer.status)
        return response
    }

    /// The latest errors of a group.
    private func errors(_ request: HTTPRequest) -> HTTPResponse {
        let headers = Self.headers("application/json")
        guard let json = request.parameters["id"].flatMap({ Int($0) }).flatMap({ dashboard.errors(ofGroup: $0) }) else {
            let reason = Array("{\"error\":\"There is no group of errors with this id.\"}".utf8)
            return HTTPResponse(status: .notFound, headers: headers, body: reason)
        }
        let body = HTTPBody(json)
        return Self.answer(request, headers, body) { Gzip.compress(body) }
    }

    /// Streams the events after the last one that the reader has: by `Last-Event-ID` after a lost connection, else by the
    /// position of its snapshot.
    private func stream(_ request: HTTPRequest) -> HTTPResponse {
        let position = request.headers["Last-Event-ID"] ?? request.queryValue("since")
        let isCompressed = Self.acceptsGzip(request)
        let events = dashboard.events(
            since: position.flatMap { Int($0) },
            instance: request.queryValue("instance"),
            isCompressed: isCompressed
        )
        var headers = Self.headers("text/event-stream")
        headers["Vary"] = "Accept-Encoding"
        if isCompressed { headers["Content-Encoding"] = "gzip" }
        return .stream(headers: headers, events)
    }

    /// The page contains its policy. The header has the same policy, and forbids frames.
    private func export(_ request: HTTPRequest) async -> HTTPResponse {
        var headers = Self.headers("text/html; charset=utf-8")
        headers["Content-Security-Policy"] = Dashboard.pagePolicy
        headers["Content-Disposition"] = "inline; filename=\"axiom.html\""
        let page = await cache.page("/export.html") {
            let plain = HTTPBody(dashboard.exportedPage())
            return PageCache.Page(plain: plain, compressed: Gzip.compress(plain))
        }
        return Self.answer(request, headers, page.plain) { page.compressed }
    }

    /// The explanations of the error codes.
    private func codes(_ request: HTTPRequest) -> HTTPResponse {
        var headers = Self.headers("text/html; charset=utf-8")
        headers["Content-Security-Policy"] = CodePage.policy
        let body = HTTPBody(CodePage.html)
        return Self.answer(request, headers, body) { Gzip.compress(body) }
    }

    static func headers(_ type: String) -> HTTPHeaders {
        [
            "Content-Type": type,
            "Cache-Control": "no-store",
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cross-Origin-Resource-Policy": "same-origin",
        ]
    }

    private static func acceptsGzip(_ request: HTTPRequest) -> Bool {
        let accepted = request.headers.values(of: "Accept-Encoding")
        return Gzip.isWanted(acceptEncoding: accepted.isEmpty ? nil : accepted.joined(separator: ","))
    }

    /// A document in JSON.
    static func json(_ request: HTTPRequest, _ json: [UInt8]) -> HTTPResponse {
        let body = HTTPBody(json)
        return answer(request, headers("application/json"), body) { Gzip.compress(body) }
    }

    private static func answer(
        _ request: HTTPRequest,
        _ headers: HTTPHeaders,
        _ body: HTTPBody,
        compressed: () -> HTTPBody?
    ) -> HTTPResponse {
        var headers = headers
        headers["Vary"] = "Accept-Encoding"
        guard acceptsGzip(request), let compressed = compressed()
        else { return HTTPResponse(headers: headers, body: body) }
        headers["Content-Encoding"] = "gzip"
        return HTTPResponse(headers: headers, body: compressed)
    }
}

/// Makes each page at most once a second, because each costs a collection of the registry with the user's collectors.
actor PageCache {
    /// A page, plain and compressed.
    struct Page: Sendable {
        let plain: HTTPBody
        /// Nil if zlib could not allocate memory.
        let compressed: HTTPBody?
    }

    private struct Entry {
        let page: Page
        let made: Instant
    }

    static let lifetime = Duration.seconds(1)

    private let clock: TimeSource
    private var entries: [String: Entry] = [:]

    init(clock: TimeSource = .live) {
        self.clock = clock
    }

    /// The page of a name. `make` makes it unless there is one that is less than a second old. Requests for a page that is
    /// being made wait for it.
    func page(_ name: String, make: @Sendable () -> Page) -> Page {
        if let entry = entries[name], clock.now.duration(since: entry.made) < Self.lifetime { return entry.page }
        let page = make()
        entries[name] = Entry(page: page, made: clock.now)
        return page
    }
}
