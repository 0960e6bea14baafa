// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

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
    /// Which characters the names may have; classic by default.
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

    /// Whether this is the definition of the family. By bytes.
    fileprivate func isDefined(by definition: MetricDefinition) -> Bool {
        definition.kind == kind && definition.syntax == names && ByteName(definition.help) == ByteName(help)
            && definition.unit == unit && definition.labelNames.map(ByteName.init) == labels.map(ByteName.init)
    }

    /// The checked series, sorted.
    ///
    /// - Parameters:
    ///   - definition: What the family is.
    ///   - constants: The labels that every series of the registry has on its pages.
    /// - Throws: ``MetricsError`` for what no page may show: a missing label value, a series that occurs
    ///   twice, a counter that is negative or not a number.
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

/// The definitions of the families that one collector gives, checked once, with what encoders have rendered of them.
final class DefinitionCache: Sendable {
    /// The most definitions that are kept; a collector that gives more is checked again and again.
    static let capacity = 1_024

    /// Guarded by its lock.
    private let known = Lock<[ByteName: MetricDefinition]>([:])

    /// How many definitions are known.
    var count: Int { known.withLock { $0.count } }

    /// The definition of a family: the one that is known when nothing has changed.
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

/// A registered collector.
struct CollectorSource: Sendable {
    let id: CollectorRegistration
    let collector: any Collector
    let definitions = DefinitionCache()

    init(_ id: CollectorRegistration, _ collector: any Collector) {
        self.id = id
        self.collector = collector
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
