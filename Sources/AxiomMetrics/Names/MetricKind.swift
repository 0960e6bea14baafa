// SPDX-License-Identifier: Apache-2.0

/// The type of a metric family. More kinds may be added.
package struct MetricKind: Hashable, Sendable, CustomStringConvertible {
    enum Shape: Hashable {
        case counter
        case gauge
        case histogram
        case info
    }

    let shape: Shape

    /// A total that only grows. The family's name ends in `_total`.
    package static let counter = MetricKind(shape: .counter)
    /// A value that goes up and down.
    package static let gauge = MetricKind(shape: .gauge)
    /// Counts in buckets, and a sum.
    package static let histogram = MetricKind(shape: .histogram)
    /// The value 1 with labels as information. The family's name ends in `_info`. In text 0.0.4 it is a gauge.
    package static let info = MetricKind(shape: .info)

    /// The kind's name.
    package var description: String { "\(shape)" }

    /// The kind as text 0.0.4 names it.
    var textName: String {
        switch shape {
        case .counter: "counter"
        case .gauge, .info: "gauge"
        case .histogram: "histogram"
        }
    }

    /// The kind as OpenMetrics names it.
    var openMetricsName: String {
        switch shape {
        case .counter: "counter"
        case .gauge: "gauge"
        case .histogram: "histogram"
        case .info: "info"
        }
    }

    /// The required suffix of the name, which OpenMetrics removes from the name of the family.
    var suffix: String {
        switch shape {
        case .counter: "_total"
        case .info: "_info"
        case .gauge, .histogram: ""
        }
    }

    /// All names of the family and its samples in any format. Two families must not share a name.
    func claimedNames(for name: String) -> [String] {
        switch shape {
        case .counter:
            // OpenMetrics names the family without the suffix.
            let base = String(name.dropLast("_total".count))
            return [name, base, base + "_created"]
        case .gauge: return [name]
        case .histogram: return [name, name + "_bucket", name + "_count", name + "_sum", name + "_created"]
        case .info: return [name, String(name.dropLast("_info".count))]
        }
    }
}
