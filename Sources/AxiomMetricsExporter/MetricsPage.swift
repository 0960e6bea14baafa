// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomHTTP
internal import AxiomMetrics

/// Answers `/metrics`, and measures what that costs.
final class MetricsPage: Sendable {
    /// Prometheus' own default, for readers that do not say how long they wait.
    private static let standardTimeout = Duration.seconds(10)

    private let cache: ScrapeCache
    private let metrics: ScrapeMetrics
    /// The registry's, on whose time line deadlines lie.
    private let clock: TimeSource

    init(
        _ registry: Registry,
        createdSeries: Bool,
        onProblem: @escaping @Sendable (String) -> Void
    ) throws(MetricsError) {
        cache = ScrapeCache(registry, createdSeries: createdSeries, onProblem: onProblem)
        clock = registry.clock
        metrics = try ScrapeMetrics(registry)
    }

    /// The page as the request wants it. Its own cost shows on the next one.
    func response(to request: HTTPRequest) async -> HTTPResponse {
        let start = TimeSource.live.now
        let scrape: ScrapeRequest
        do throws(ScrapeRequest.Refusal) {
            scrape = try ScrapeRequest(request)
        } catch {
            return refusal(error.message, .badRequest, ScrapeRequest.format(request))
        }
        // A tenth of the time is left for encoding and the way back.
        let deadline = clock.now.advanced(by: (ScrapeRequest.timeout(request) ?? Self.standardTimeout) * 9 / 10)
        return response(await cache.page(scrape, deadline: deadline, arrival: start), scrape, since: start)
    }

    /// The page if it can be made at once, on the calling thread; nil if ``response(to:)`` is to answer.
    func responseAtOnce(to request: HTTPRequest) -> HTTPResponse? {
        let start = TimeSource.live.now
        guard let scrape = try? ScrapeRequest(request),
            case .page(let page) = cache.pageAtOnce(scrape, arrival: start)
        else { return nil }
        return response(page, scrape, since: start)
    }

    private func response(_ page: ScrapeCache.Page?, _ scrape: ScrapeRequest, since start: Instant) -> HTTPResponse {
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
