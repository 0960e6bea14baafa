// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Serves `/metrics` and measures its cost.
final class MetricsPage: Sendable {
    private let cache: ScrapeCache
    private let metrics: ScrapeMetrics
    private let registry: Registry

    init(
        _ registry: Registry,
        createdSeries: Bool,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws(MetricsError) {
        cache = ScrapeCache(registry, createdSeries: createdSeries, onProblem: onProblem)
        self.registry = registry
        metrics = try ScrapeMetrics(registry)
    }

    /// The page in the requested format. Its cost is recorded on the next page.
    func response(to request: HTTPRequest) async -> HTTPResponse {
        let start = TimeSource.live.now
        let scrape: ScrapeRequest
        do throws(ScrapeRequest.Refusal) {
            scrape = try ScrapeRequest(request)
        } catch {
            return refusal(error.message, .badRequest, ScrapeRequest.format(request))
        }
        let deadline = registry.deadline(scrapeTimeout: request.headers["X-Prometheus-Scrape-Timeout-Seconds"])
        let page = await cache.page(scrape, deadline: deadline, arrival: start)
        guard let page else {
            let message = "Too many readers have not read their pages of metrics yet: try again later.\n"
            return refusal(message, .serviceUnavailable, scrape.format)
        }
        metrics.served(
            scrape.format.kind,
            bytes: page.bytes,
            nanoseconds: TimeSource.live.now.nanoseconds(since: start)
        )
        return Self.response(page, scrape)
    }

    private func refusal(_ message: String, _ status: HTTPStatus, _ format: ExpositionFormat) -> HTTPResponse {
        metrics.refused(format.kind, status)
        var response = HTTPResponse.text(message, status: status)
        if status == .serviceUnavailable { response.headers["Retry-After"] = "10" }
        return response
    }

    private static func response(_ page: ScrapeCache.Page, _ scrape: ScrapeRequest) -> HTTPResponse {
        var headers: HTTPHeaders = [
            "Content-Type": scrape.contentType,
            "Vary": "Accept, Accept-Encoding",
            "X-Content-Type-Options": "nosniff",
        ]
        if page.isCompressed { headers["Content-Encoding"] = "gzip" }
        return HTTPResponse(headers: headers, body: page.body)
    }
}

/// The exporter's own metrics.
struct ScrapeMetrics: Sendable {
    private let scrapes: Family<Counter, String, Int>
    private let cost: ScrapeCost

    init(_ registry: Registry) throws(MetricsError) {
        scrapes = try registry.counters(
            "axiom_exporter_scrapes_total",
            help: "Pages of metrics that were served, by format and HTTP status.",
            labels: Label<String>("format"),
            Label<Int>("code")
        )
        for format in ExpositionFormat.all {
            for status: HTTPStatus in [.ok, .badRequest, .serviceUnavailable] {
                _ = scrapes(format.kind.description, status.code)
            }
        }
        cost = try ScrapeCost(registry)
    }

    func served(_ format: ExpositionFormat.Kind, bytes count: Int, nanoseconds: Int64) {
        scrapes(format.description, HTTPStatus.ok.code).increment()
        cost.record(bytes: count, nanoseconds: nanoseconds)
    }

    func refused(_ format: ExpositionFormat.Kind, _ status: HTTPStatus) {
        scrapes(format.description, status.code).increment()
    }
}
