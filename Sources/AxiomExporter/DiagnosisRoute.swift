// SPDX-License-Identifier: Apache-2.0

internal import AxiomDashboard
internal import AxiomHTTP
internal import AxiomMetricsExporter

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
