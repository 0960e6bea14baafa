// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import AxiomHTTP
internal import AxiomMetricsExporter

/// The dashboard over HTTP, as `Dashboards/web/PROTOCOL.md` describes it.
struct DashboardRoutes: Sendable {
    let dashboard: Dashboard
    let access: DashboardAccess
    let cache = ResponseCache()
    /// The most bytes of the page, compressed.
    static let pageLimit = 40_000

    var all: [HTTPRoute] {
        [
            route("/", .second) { page($0) },
            route("/api/snapshot") { snapshot($0) },
            streamRoute,
            route("/api/errors/{id}") { errors($0) },
            route("/export.html", .second) { export($0) },
            route("/profile.js", .second) {
                Self.answer($0, Self.headers("text/javascript; charset=utf-8"), HTTPBody(Dashboard.profileScript))
            },
            route("/codes", .second) { codes($0) },
            route("/api/state") { answer($0, dashboard.states(of: $0.queryValue("component"))) },
            route("/api/state/{id}") { state($0) },
            route("/api/inspect", .second) { answer($0, await dashboard.inspection()) },
            diagnosisRoute, ProfileRoute(dashboard, access).route,
        ] + traceRoutes + actionRoutes
    }

    /// A route whose responses the cache makes and shares.
    func route(
        _ path: String,
        _ freshness: ResponseCache.Freshness = .current,
        _ answer: @escaping @Sendable (HTTPRequest) async -> HTTPResponse
    ) -> HTTPRoute {
        .get(path) { [access, cache] request in
            if let refusal = access.refusal(request) ?? access.exchange(request) { return refusal }
            let key = Self.key(of: request, hasToken: access.isGivenInQuery(request))
            return await cache.response(path, key: key, freshness) { await answer(request) }
        }
    }

    /// What a response depends on. The token is no part of it, except that the links of a page have it.
    private static func key(of request: HTTPRequest, hasToken: Bool) -> String {
        let query = request.query.filter { $0.name != "token" }.map { [$0.name, $0.value] }
        let parameters = request.parameters.sorted { $0.key < $1.key }.map { [$0.key, $0.value] }
        return "\(query)\(parameters)\(Gzip.isWanted(by: request))\(hasToken)"
    }

    /// Readers have a stream of their own, whose number the server limits.
    private var streamRoute: HTTPRoute {
        .get("/api/stream") { [access] request in access.refusal(request) ?? stream(request) }
    }

    private func page(_ request: HTTPRequest) -> HTTPResponse {
        var compressed: HTTPBody?
        let plain = dashboard.page(export: "export.html\(access.query(of: request))") { page in
            compressed = Gzip.compress(HTTPBody(page), isSmallest: true)
            return (compressed?.count ?? 0) <= Self.pageLimit
        }
        return Self.answer(request, Self.pageHeaders(Dashboard.pagePolicy), HTTPBody(plain)) { _ in compressed }
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
        Self.json(request, answer.json, status: answer.status)
    }

    /// The latest errors of a group.
    private func errors(_ request: HTTPRequest) -> HTTPResponse {
        guard let json = request.parameters["id"].flatMap({ Int($0) }).flatMap({ dashboard.errors(ofGroup: $0) }) else {
            return Self.error("There is no group of errors with this id.", status: .notFound)
        }
        return Self.json(request, json)
    }

    /// Streams the events after the last one that the reader has: by `Last-Event-ID` after a lost connection, else by the
    /// position of its snapshot.
    private func stream(_ request: HTTPRequest) -> HTTPResponse {
        let position = request.headers["Last-Event-ID"] ?? request.queryValue("since")
        let isCompressed = Gzip.isWanted(by: request)
        let events = dashboard.events(
            since: position.flatMap { Int($0) },
            instance: request.queryValue("instance"),
            isCompressed: isCompressed
        )
        var headers = Self.headers("text/event-stream")
        headers["Vary"] = "Accept-Encoding"
        // A proxy must pass each event on at once: nginx buffers responses, and others wait for enough to compress.
        headers["Cache-Control"] = "no-store, no-transform"
        headers["X-Accel-Buffering"] = "no"
        if isCompressed { headers["Content-Encoding"] = "gzip" }
        return .stream(headers: headers, events)
    }

    /// The page contains its policy. The header has the same policy, and forbids frames.
    private func export(_ request: HTTPRequest) -> HTTPResponse {
        var headers = Self.pageHeaders(Dashboard.pagePolicy)
        headers["Content-Disposition"] = "inline; filename=\"axiom.html\""
        return Self.answer(request, headers, HTTPBody(dashboard.exportedPage()))
    }

    /// The explanations of the error codes.
    private func codes(_ request: HTTPRequest) -> HTTPResponse {
        Self.answer(request, Self.pageHeaders(CodePage.policy), HTTPBody(CodePage.html))
    }

    private static func pageHeaders(_ policy: String) -> HTTPHeaders {
        var headers = headers("text/html; charset=utf-8")
        headers["Content-Security-Policy"] = policy
        return headers
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

    /// A document in JSON.
    static func json(_ request: HTTPRequest, _ json: [UInt8], status: Int = 200) -> HTTPResponse {
        answer(request, headers("application/json"), HTTPBody(json), status: status)
    }

    /// - Parameter reason: Without quotes and other characters that JSON escapes.
    static func error(_ reason: String, status: HTTPStatus) -> HTTPResponse {
        HTTPResponse(
            status: status,
            headers: headers("application/json"),
            body: Array("{\"error\":\"\(reason)\"}".utf8)
        )
    }

    /// - Parameter compressed: The compressed body; nil for an uncompressed response.
    static func answer(
        _ request: HTTPRequest,
        _ headers: HTTPHeaders,
        _ body: HTTPBody,
        status: Int = 200,
        compressed: (HTTPBody) -> HTTPBody? = { Gzip.compress($0) }
    ) -> HTTPResponse {
        var response = HTTPResponse(status: HTTPStatus(status), headers: headers, body: body)
        response.headers["Vary"] = "Accept-Encoding"
        guard Gzip.isWanted(by: request), let compressed = compressed(body) else { return response }
        response = HTTPResponse(status: response.status, headers: response.headers, body: compressed)
        response.headers["Content-Encoding"] = "gzip"
        return response
    }
}

/// Actions over HTTP, as `Dashboards/web/PROTOCOL.md` describes them.
extension DashboardRoutes {
    /// The most bytes of a body.
    private static let bodyLimit = 4_096

    var actionRoutes: [HTTPRoute] {
        [route("/api/actions") { answer($0, dashboard.listActions()) }]
            + ActionSubject.allCases.map { subject in
                .post("/api/actions/\(subject)", maximumBodyBytes: Self.bodyLimit) { [access, cache] request in
                    if let refusal = access.refusal(request) { return refusal }
                    let isAllowed = dashboard.features.contains(.allowsActions)
                    guard isAllowed else { return answer(request, dashboard.listActions()) }
                    if let refusal = access.refusalOfAction(request) { return refusal }
                    let response = answer(request, dashboard.perform(subject, request.body))
                    await cache.removeAll()
                    return response
                }
            }
    }
}
