// SPDX-License-Identifier: Apache-2.0

/// What a family is to the reader of a page. More kinds may be added.
public struct MetricKind: Hashable, Sendable, CustomStringConvertible {
    enum Shape: Hashable {
        case counter
        case gauge
        case histogram
        case info
        case stateSet
    }

    let shape: Shape

    /// A total that only grows. The family's name ends in `_total`.
    public static let counter = MetricKind(shape: .counter)
    /// A value that goes up and down.
    public static let gauge = MetricKind(shape: .gauge)
    /// Counts in buckets, and a sum.
    public static let histogram = MetricKind(shape: .histogram)
    /// The value 1, whose labels are the information. The family's name ends in `_info`; text 0.0.4 calls it a gauge.
    public static let info = MetricKind(shape: .info)
    /// One series of the value 0 or 1 for each state, named by a label that is called as the family is; text 0.0.4
    /// calls it a gauge.
    public static let stateSet = MetricKind(shape: .stateSet)

    /// The kind's name.
    public var description: String { "\(shape)" }

    /// The kind as text 0.0.4 names it.
    var textName: String {
        switch shape {
        case .counter: "counter"
        case .gauge, .info, .stateSet: "gauge"
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
        case .stateSet: "stateset"
        }
    }

    /// What the name must end in, and OpenMetrics takes off to get the family's name from a sample's.
    var suffix: String {
        switch shape {
        case .counter: "_total"
        case .info: "_info"
        case .gauge, .histogram, .stateSet: ""
        }
    }

    /// Every name by which a reader of any format may know a family or its samples. No two families may share one.
    func claimedNames(for name: String) -> [String] {
        switch shape {
        case .counter:
            // OpenMetrics names the family without its suffix.
            let base = String(name.dropLast("_total".count))
            return [name, base, base + "_created"]
        case .gauge, .stateSet: return [name]
        case .histogram: return [name, name + "_bucket", name + "_count", name + "_sum", name + "_created"]
        case .info: return [name, String(name.dropLast("_info".count))]
        }
    }
}

extension MetricDefinition {
    /// Every name by which a reader of any format and any escaping may know the family or its samples.
    var claimedNames: [String] {
        if NameRules.isIdentifier(name) { return kind.claimedNames(for: name) }
        let names = [name] + NameEscaping.changing.map { $0.escape(name) }
        return Set(names.flatMap(kind.claimedNames).map(ByteName.init)).sorted().map(\.text)
    }
}
