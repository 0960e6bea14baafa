// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A family that a ``Collector`` returns.
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

    /// The name. It is checked when the family is collected.
    package let name: String
    /// Counter, gauge or info.
    package let kind: MetricKind
    let help: String
    let unit: String?
    let labels: [String]
    /// The characters that are allowed in names; by default the classic ones.
    public var names = NameSyntax.classic
    private(set) var samples: [Sample] = []
    /// Whether there are no series.
    package var isEmpty: Bool { samples.isEmpty }

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

    /// A family of counters. The name must end in `_total`.
    public static func counter(
        _ name: String,
        help: String,
        unit: String? = nil,
        labels: String...
    ) -> CollectedFamily {
        CollectedFamily(.counter, name, help, unit, labels)
    }

    /// A family whose labels are the information and whose values are 1. The name must end in `_info`.
    public static func info(_ name: String, help: String, labels: String...) -> CollectedFamily {
        CollectedFamily(.info, name, help, nil, labels)
    }

    /// Adds a series with a value and one label value for each label, in their order.
    public mutating func add(_ value: Double, _ labelValues: String...) {
        add(value, labelValues: labelValues)
    }

    /// Adds a series with a value and one label value for each label, in their order.
    public mutating func add(_ value: Double, labelValues: [String]) {
        samples.append(Sample(values: labelValues, value: value))
    }

    /// The checked definition.
    ///
    /// - Throws: ``MetricsError`` for a bad name, help or unit.
    func definition() throws(MetricsError) -> MetricDefinition {
        try MetricDefinition(
            name,
            kind,
            .collected,
            help: help,
            labels: labels,
            options: MetricOptions(unit: unit, names: names)
        )
    }

    /// Whether this is the definition of the family. Compares names by their bytes.
    fileprivate func isDefined(by definition: MetricDefinition) -> Bool {
        definition.kind == kind && definition.syntax == names && ByteName(definition.help) == ByteName(help)
            && definition.unit == unit && definition.labelNames.map(ByteName.init) == labels.map(ByteName.init)
    }

    /// The checked series, sorted.
    ///
    /// - Parameter constants: The labels that every series of the registry has on its pages.
    /// - Throws: ``MetricsError`` for a missing label value, a series that occurs twice, or a counter that is negative or
    ///   NaN.
    func snapshot(
        _ definition: MetricDefinition,
        _ constants: LabelSet = .none
    ) throws(MetricsError) -> FamilySnapshot {
        var rows: [(labels: LabelSet, value: Double)] = []
        rows.reserveCapacity(samples.count)
        for sample in samples {
            try check(sample)
            let values = sample.values.map { SeriesLimits.truncated($0, beyond: definition.limits.valueBytes) }
            let own = LabelSet(template: definition.labels, values: values)
            rows.append((constants.appending(own), sample.value))
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

/// The definitions of the families of one collector, which are checked and rendered only once.
final class DefinitionCache: Sendable {
    /// The most definitions that are kept. A collector with more families is checked repeatedly.
    static let capacity = 1_024

    /// Guarded by its lock.
    private let known = Lock<[ByteName: MetricDefinition]>([:])

    /// The number of known definitions.
    var count: Int { known.withLock { $0.count } }

    /// The definition of a family: the known one if nothing has changed.
    ///
    /// - Throws: ``MetricsError`` for a bad name, help or unit.
    func definition(of family: CollectedFamily) throws(MetricsError) -> MetricDefinition {
        let name = ByteName(family.name)
        if let present = known.withLock({ $0[name] }), family.isDefined(by: present) { return present }
        let fresh = try family.definition()
        known.withLock { known in
            if known.count >= Self.capacity { known = [:] }
            known[name] = fresh
        }
        return fresh
    }
}

extension MetricKind {
    /// Why a collected value is invalid and how to fix it; nil if it is valid.
    func fault(of value: Double) -> String? {
        switch shape {
        case .counter where !(value >= 0):
            "is a counter but was collected as \(value): use a gauge, or never go below 0"
        case .info where value != 1: "is an info metric but was collected as \(value): its value is 1"
        case .counter, .gauge, .histogram, .info: nil
        }
    }
}
