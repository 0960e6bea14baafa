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
        guard let file = await read(query, format) else {
            let reason = "No profiler runs. Start one with Profiler.start(telemetry)."
            return DashboardRoutes.error(reason, status: .notFound)
        }
        var headers = DashboardRoutes.headers(format.content.type)
        if let name = format.content.name { headers["Content-Disposition"] = "attachment; filename=\"\(name)\"" }
        return DashboardRoutes.answer(request, headers, HTTPBody(file))
    }

    /// Also if the client goes away, the place is taken until the profile is read.
    private func read(_ query: ProfileQuery, _ format: Format) async -> [UInt8]? {
        await withCheckedContinuation { continuation in
            WorkerThread.run(niceness: 10) { [self] in
                let file = dashboard.profile(query, format: format.rawValue)
                isReading.withLock { $0 = false }
                continuation.resume(returning: file)
            }
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
