// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomDashboard
internal import AxiomHTTP
internal import AxiomInstrumentation
internal import AxiomMetricsExporter

/// The profile over HTTP, as `Dashboards/web/PROTOCOL.md` describes it. One profile is read at a time, on a thread of its own with
/// a low priority: reading the symbols of a large program takes seconds, in which the page must go on. Neither a thread of Swift's
/// pool nor one that answers scrapes is used.
final class ProfileRoute: Sendable {
    private enum Format: String, CaseIterable {
        case json, pprof, collapsed, speedscope

        /// The type of the content, and the name of the file if it is one to keep.
        var content: (type: String, name: String?) {
            switch self {
            case .json: ("application/json", nil)
            case .pprof: ("application/octet-stream", "axiom-profile.pb")
            case .collapsed: ("text/plain; charset=utf-8", nil)
            case .speedscope: ("application/json", "axiom-profile.speedscope.json")
            }
        }
    }

    private let dashboard: Dashboard
    private let access: DashboardAccess
    private let isReading = Lock(false)

    init(_ dashboard: Dashboard, _ access: DashboardAccess) {
        (self.dashboard, self.access) = (dashboard, access)
    }

    var route: HTTPRoute {
        .get("/api/profile") { [self] request in
            if let refusal = access.refusal(request) { return refusal }
            do throws(QueryError) {
                try Self.check(request)
                return await answer(request, try ProfileQuery { request.queryValue($0) }, try Self.format(of: request))
            } catch {
                return DashboardRoutes.refuse(error)
            }
        }
    }

    private func answer(_ request: HTTPRequest, _ query: ProfileQuery, _ format: Format) async -> HTTPResponse {
        let isBusy = isReading.withLock { isReading in
            defer { isReading = true }
            return isReading
        }
        guard !isBusy else {
            let reason = "Another profile is being read. Try again in a second."
            var busy = DashboardRoutes.error(reason, status: HTTPStatus(429))
            busy.headers["Retry-After"] = "1"
            return busy
        }
        let file: [UInt8]
        switch await read(query, format) {
        case .success(let read?): file = read
        case .success(nil):
            let reason = "No profiler runs. Start one with Profiler.start(telemetry)."
            return DashboardRoutes.error(reason, status: .notFound)
        case .failure(let error): return DashboardRoutes.refuse(error, status: .notFound)
        }
        var headers = DashboardRoutes.headers(format.content.type)
        if let name = format.content.name { headers["Content-Disposition"] = "attachment; filename=\"\(name)\"" }
        return DashboardRoutes.answer(request, headers, HTTPBody(file))
    }

    /// Also if the client goes away, the place is taken until the profile is read.
    private func read(_ query: ProfileQuery, _ format: Format) async -> Result<[UInt8]?, QueryError> {
        await withCheckedContinuation { continuation in
            WorkerThread.run(niceness: 10) { [self] in
                let file = Result { () throws(QueryError) in try dashboard.profile(query, format: format.rawValue) }
                isReading.withLock { $0 = false }
                continuation.resume(returning: file)
            }
        }
    }

    /// Refuses a parameter that does not exist, or is given twice.
    private static func check(_ request: HTTPRequest) throws(QueryError) {
        let known = ["seconds", "ago", "action", "trace", "format"]
        for (index, item) in request.query.enumerated() where item.name != "token" {
            let isRepeated = request.query[..<index].contains { $0.name == item.name }
            guard isRepeated || !known.contains(item.name) else { continue }
            let all = "there is no such parameter; there are \(known.joined(separator: ", "))"
            throw QueryError(item.name, item.value, isRepeated ? "give it once" : all)
        }
    }

    /// Without a format, a client that does not accept JSON gets pprof: `go tool pprof` sends neither a format nor `Accept`.
    private static func format(of request: HTTPRequest) throws(QueryError) -> Format {
        if let text = request.queryValue("format") {
            if let format = Format(rawValue: text) { return format }
            throw QueryError("format", text, "give one of \(Format.allCases.map(\.rawValue).joined(separator: ", "))")
        }
        let accepted = (request.headers.list("Accept") ?? "").lowercased()
        return ["application/json", "application/*", "*/*"].contains { accepted.contains($0) } ? .json : .pprof
    }
}

/// The diagnosis over HTTP: JSON, or Markdown for a client that asks for `text/markdown` or `text/plain` and not for JSON.
extension DashboardRoutes {
    var diagnosisRoute: HTTPRoute {
        .get("/api/diagnosis") { [access, cache] request in
            if let refusal = access.refusal(request) ?? access.exchange(request) { return refusal }
            let isMarkdown = Self.wantsMarkdown(request)
            let key = "\(isMarkdown) \(Gzip.isWanted(by: request))"
            return await cache.response("/api/diagnosis", key: key, .current) { diagnosis(request, isMarkdown) }
        }
    }

    private func diagnosis(_ request: HTTPRequest, _ isMarkdown: Bool) -> HTTPResponse {
        guard let diagnosis = dashboard.diagnosis() else {
            let reason = Array("{\"error\":\"The snapshot of this process cannot be read. Ask api/snapshot.\"}".utf8)
            return HTTPResponse(status: HTTPStatus(500), headers: Self.headers("application/json"), body: reason)
        }
        guard isMarkdown else { return Self.json(request, diagnosis.json) }
        return Self.answer(
            request,
            Self.headers("text/markdown; charset=utf-8"),
            HTTPBody(Array(diagnosis.markdown().utf8))
        )
    }

    private static func wantsMarkdown(_ request: HTTPRequest) -> Bool {
        let accepted = (request.headers.list("Accept") ?? "").lowercased()
        func has(_ type: String) -> Bool { accepted.contains(type) }
        return (has("text/markdown") || has("text/plain")) && !has("application/json")
    }
}
