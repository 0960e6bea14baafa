// SPDX-License-Identifier: Apache-2.0

/// Writes pages in OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/): with units, exemplars, info
/// metrics and state sets, and an end that shows a page to be whole.
///
/// Counters and info metrics are called without `_total` and `_info` where the family is meant. A histogram's sum and
/// count are left out when the sum is negative or not a number, and where a bound is negative: in this format a sum
/// only grows.
public struct OpenMetricsEncoder: Sendable {
    /// What the `Content-Type` header of a page must say.
    public static let contentType = "application/openmetrics-text; version=1.0.0; charset=utf-8"

    private let lines: LineEncoder

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - escaping: How names are shown that are not classic ones.
    ///   - createdSeries: Whether counters and histograms show when they began, each by one more series. Off unless
    ///     told: it costs a sample for each series, and Prometheus takes it for a gauge unless told otherwise.
    public init(escaping: NameEscaping = .underscores, createdSeries: Bool = false) {
        lines = LineEncoder(style: .openMetrics, escaping: escaping, hasCreated: createdSeries)
    }

    /// Appends a page to `buffer`.
    public func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer) {
        lines.encode(snapshot.families, into: &buffer)
        let end = Array("# EOF\n".utf8)
        buffer.reserve(end.count)
        buffer.put(end)
    }

    /// The page as text, for tests and small tools.
    public func encode(_ snapshot: Snapshot) -> String {
        var buffer = ExpositionBuffer()
        encode(snapshot, into: &buffer)
        return buffer.text
    }
}
