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

    private let duration: ExponentialHistogram
    private let bytes: ExponentialHistogram

    /// Registers the histograms.
    package init(_ registry: Registry) throws(MetricsError) {
        let bucketing = ExponentialBucketing(schema: 3)
        duration = try registry.exponentialHistogram(
            Self.durationName,
            help: "Time to collect and encode a page of metrics.",
            bucketing: bucketing
        )
        bytes = try registry.exponentialHistogram(
            Self.bytesName,
            help: "Size of a page of metrics before compression.",
            bucketing: bucketing
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
