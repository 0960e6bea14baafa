// SPDX-License-Identifier: Apache-2.0

/// A family that a ``Collector`` fills at the moment of a scrape.
///
/// ```swift
/// var live = CollectedFamily.gauge("app_live", help: "Living components.", labels: "kind")
/// live.add(3, "context")
/// ```
public struct CollectedFamily: Sendable {
    struct Sample: Sendable {
        let values: [String]
        let value: Double
    }

    /// The name, checked when the family is collected.
    public let name: String
    /// Counter, gauge or info.
    public let kind: MetricKind
    let help: String
    let unit: String?
    let labels: [String]
    /// Which characters the names may have; classic unless told.
    public var names = NameSyntax.classic
    private(set) var samples: [Sample] = []
    /// Whether no series was added yet.
    public var isEmpty: Bool { samples.isEmpty }

    private init(_ kind: MetricKind, _ name: String, _ help: String, _ unit: String?, _ labels: [String]) {
        self.kind = kind
        self.name = name
        self.help = help
        self.unit = unit
        self.labels = labels
    }

    /// A family of gauges.
    public static func gauge(
        _ name: String,
        help: String,
        unit: String? = nil,
        labels: String...
    ) -> CollectedFamily {
        CollectedFamily(.gauge, name, help, unit, labels)
    }

    /// A family of counters, whose name ends in `_total`.
    public static func counter(
        _ name: String,
        help: String,
        unit: String? = nil,
        labels: String...
    ) -> CollectedFamily {
        CollectedFamily(.counter, name, help, unit, labels)
    }

    /// A family whose labels are the information and whose values are 1. The name ends in `_info`.
    public static func info(_ name: String, help: String, labels: String...) -> CollectedFamily {
        CollectedFamily(.info, name, help, nil, labels)
    }

    /// Adds a series: its value, and one label value for each label, in their order.
    public mutating func add(_ value: Double, _ labelValues: String...) {
        add(value, labelValues: labelValues)
    }

    /// Adds a series: its value, and one label value for each label, in their order.
    public mutating func add(_ value: Double, labelValues: [String]) {
        samples.append(Sample(values: labelValues, value: value))
    }

    /// The checked family, sorted.
    ///
    /// - Throws: ``MetricsError`` for what no page may show: a bad name, a missing label value, a series that occurs
    ///   twice, a counter that is negative or not a number.
    func snapshot() throws(MetricsError) -> FamilySnapshot {
        let definition = try MetricDefinition(
            name,
            kind,
            .collected,
            help: help,
            labels: labels,
            options: MetricOptions(unit: unit, names: names)
        )
        var rows: [(labels: LabelSet, value: Double)] = []
        rows.reserveCapacity(samples.count)
        for sample in samples {
            try check(sample)
            rows.append((LabelSet(template: definition.labels, values: sample.values), sample.value))
        }
        rows.sort { $0.labels < $1.labels }
        for (row, next) in zip(rows, rows.dropFirst()) where row.labels == next.labels {
            throw MetricsError(
                .duplicateSeries,
                "The series \(name)\(row.labels) was collected twice: add it once.",
                family: name
            )
        }
        return FamilySnapshot(
            definition: definition,
            series: SeriesList(rows.map(\.labels)),
            samples: .numbers(rows.map(\.value))
        )
    }

    private func check(_ sample: Sample) throws(MetricsError) {
        guard sample.values.count == labels.count else {
            throw MetricsError(
                .invalidSample,
                "A series of \(name) has \(sample.values.count) label values, \(sample.values), for the labels "
                    + "\(labels): give one for each.",
                family: name
            )
        }
        if let fault = kind.fault(of: sample.value) {
            throw MetricsError(.invalidSample, "\(name) \(fault).", family: name)
        }
    }
}

extension MetricKind {
    /// Why a collected value cannot be shown, and the remedy; nil when it can.
    func fault(of value: Double) -> String? {
        switch shape {
        case .counter where !(value >= 0):
            "is a counter but was collected as \(value): use a gauge, or never go below 0"
        case .info where value != 1: "is an info metric but was collected as \(value): its value is 1"
        case .counter, .gauge, .histogram, .info, .stateSet: nil
        }
    }
}
