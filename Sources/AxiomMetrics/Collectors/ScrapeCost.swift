// SPDX-License-Identifier: Apache-2.0

/// The cost of the pages of metrics that are served from a registry. An exporter records it; the dashboard reads it.
package struct ScrapeCost: Sendable {
    /// The cost of all pages so far.
    package struct Reading: Sendable, Hashable {
        package let pages: UInt64
        /// The mean time to collect and encode a page; nil if there was none.
        package let meanSeconds: Double?
        /// The mean size of a page before compression; nil if there was none.
        package let meanBytes: Double?
    }

    private static let durationName = "axiom_exporter_scrape_duration_seconds"
    private static let bytesName = "axiom_exporter_scrape_bytes"

    private let duration: Histogram
    private let bytes: Histogram

    /// Registers the histograms.
    package init(_ registry: Registry) throws(MetricsError) {
        duration = try registry.histogram(
            Self.durationName,
            help: "Time to collect and encode a page of metrics.",
            buckets: [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]
        )
        bytes = try registry.histogram(
            Self.bytesName,
            help: "Size of a page of metrics before compression.",
            buckets: .exponential(start: 4096, factor: 4, count: 8)
        )
    }

    /// Records one page.
    package func record(bytes count: Int, nanoseconds: Int64) {
        duration.observe(nanoseconds: nanoseconds)
        bytes.observe(Double(count))
    }

    /// The cost that exporters recorded in the registry; nil if no exporter serves it.
    package static func read(_ registry: Registry) -> Reading? {
        let found = registry.collect(families: [durationName, bytesName]).map { $0?.first?.histogram }
        guard let duration = found[0], let size = found[1] else { return nil }
        return Reading(
            pages: duration.count,
            meanSeconds: duration.count > 0 ? duration.sum / Double(duration.count) : nil,
            meanBytes: size.count > 0 ? size.sum / Double(size.count) : nil
        )
    }
}
