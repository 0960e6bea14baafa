// SPDX-License-Identifier: Apache-2.0

/// Writes pages in the Prometheus text format, which all versions of Prometheus read: version 0.0.4, or 1.0.0 with quoted
/// names.
///
/// Families are in the order of their names and series in the order of their labels. Each family is one group that starts
/// with its help and type. The page ends with a line feed. Encoding copies bytes that were rendered before and writes
/// numbers; it allocates only when the buffer grows. The format has no exemplars, units or exponential buckets.
package struct TextEncoder: Sendable {
    /// The `Content-Type` header of a page with escaped names.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let lines: LineEncoder

    /// Creates an encoder.
    ///
    /// - Parameter escaping: How names that are not classic ones are shown. `allowUTF8` makes a page of version 1.0.0.
    package init(escaping: NameEscaping = .underscores) {
        lines = LineEncoder(style: .text, escaping: escaping, hasCreated: false)
    }

    /// Appends a page to `buffer`.
    package func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer) {
        lines.encode(snapshot.families, into: &buffer)
    }

    /// The page as a string, for tests and small tools.
    package func encode(_ snapshot: Snapshot) -> String {
        var buffer = ExpositionBuffer()
        encode(snapshot, into: &buffer)
        return buffer.text
    }
}

extension Snapshot {
    /// The page in Prometheus' text format, for tests and small tools. To serve pages use ``ExpositionFormat``.
    public var text: String { TextEncoder().encode(self) }
}

/// Writes pages in OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), with units, exemplars, info
/// metrics, state sets, and an end marker.
///
/// The family names of counters and info metrics have no `_total` and `_info`. A histogram's sum and count are omitted if
/// the sum is negative or NaN, or if a bound is negative: in this format a sum must not decrease.
package struct OpenMetricsEncoder: Sendable {
    /// The `Content-Type` header of a page.
    package static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private let lines: LineEncoder

    /// Creates an encoder.
    ///
    /// - Parameters:
    ///   - escaping: How names that are not classic ones are shown.
    ///   - createdSeries: Whether counters and histograms have an additional series with their creation time; by default
    ///     not. It costs one sample per series, and Prometheus treats it as a gauge by default.
    package init(escaping: NameEscaping = .underscores, createdSeries: Bool = false) {
        lines = LineEncoder(style: .openMetrics, escaping: escaping, hasCreated: createdSeries)
    }

    /// Appends a page to `buffer`.
    package func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer) {
        lines.encode(snapshot.families, into: &buffer)
        let end = Array("# EOF\n".utf8)
        buffer.reserve(end.count)
        buffer.put(end)
    }

    /// The page as a string, for tests and small tools.
    package func encode(_ snapshot: Snapshot) -> String {
        var buffer = ExpositionBuffer()
        encode(snapshot, into: &buffer)
        return buffer.text
    }
}
