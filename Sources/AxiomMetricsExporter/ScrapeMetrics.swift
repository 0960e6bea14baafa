// SPDX-License-Identifier: Apache-2.0

internal import AxiomHTTP
internal import AxiomMetrics

/// What the exporter tells of itself.
struct ScrapeMetrics: Sendable {
    private let scrapes: Family<Counter, String, Int>
    private let duration: Histogram
    private let bytes: Histogram

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
        duration = try registry.histogram(
            "axiom_exporter_scrape_duration_seconds",
            help: "Time to collect and encode a page of metrics.",
            buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
        )
        bytes = try registry.histogram(
            "axiom_exporter_scrape_bytes",
            help: "Size of a page of metrics before compression.",
            buckets: .exponential(start: 4096, factor: 4, count: 8)
        )
    }

    func served(_ format: ExpositionFormat.Kind, bytes count: Int, nanoseconds: Int64) {
        scrapes(format.description, HTTPStatus.ok.code).increment()
        duration.observe(nanoseconds: nanoseconds)
        bytes.observe(Double(count))
    }

    func refused(_ format: ExpositionFormat.Kind, _ status: HTTPStatus) {
        scrapes(format.description, status.code).increment()
    }
}
