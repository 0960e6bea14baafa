// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// Records the signals of other modules. Each is bound once to an instrument of the registry.
struct SignalMetrics: Sendable {
    private let registry: Registry

    init(_ registry: Registry) {
        self.registry = registry
    }

    /// - Throws: ``TelemetryError`` if the family cannot be registered or the number of values is wrong.
    func signal(_ family: SignalFamily, _ values: [String]) throws(TelemetryError) -> any Signal {
        guard values.count == family.labels.count else {
            let numbers = "it has \(family.labels.count) labels and is given \(values.count) values"
            throw TelemetryError.invalidSignal(family.name, numbers)
        }
        guard values.count <= SignalFamily.maximumLabels else {
            throw TelemetryError.invalidSignal(family.name, "it has more than \(SignalFamily.maximumLabels) labels")
        }
        do {
            switch family.kind {
            case .counter: return CounterSignal(counter: try bind(family, values))
            case .gauge: return GaugeSignal(gauge: try bind(family, values))
            case .seconds: return DistributionSignal(histogram: try bind(family, values), isOfSeconds: true)
            case .bytes: return DistributionSignal(histogram: try bind(family, values), isOfSeconds: false)
            }
        } catch {
            throw TelemetryError.invalidSignal(family.name, error.description)
        }
    }

    /// Binds a signal. The number of labels is part of a family's type, so there is one case for each number.
    private func bind<I: SignalInstrument>(_ family: SignalFamily, _ values: [String]) throws(MetricsError) -> I {
        let labels = family.labels.map { Label<String>($0) }
        switch labels.count {
        case 0: return try I.family(family, registry)()
        case 1: return try I.family(family, registry, labels[0])(values[0])
        case 2: return try I.family(family, registry, labels[0], labels[1])(values[0], values[1])
        case 3:
            let children = try I.family(family, registry, labels[0], labels[1], labels[2])
            return children(values[0], values[1], values[2])
        default:
            let children = try I.family(family, registry, labels[0], labels[1], labels[2], labels[3])
            return children(values[0], values[1], values[2], values[3])
        }
    }
}

/// An instrument that records signals.
private protocol SignalInstrument: Instrument {
    static func family<each Value: LabelValue>(
        _ family: SignalFamily,
        _ registry: Registry,
        _ labels: repeat Label<each Value>
    ) throws(MetricsError) -> Family<Self, repeat each Value>
}

extension Counter: SignalInstrument {
    fileprivate static func family<each Value: LabelValue>(
        _ family: SignalFamily,
        _ registry: Registry,
        _ labels: repeat Label<each Value>
    ) throws(MetricsError) -> Family<Counter, repeat each Value> {
        try registry.counters(family.name, help: family.help, labels: repeat each labels)
    }
}

extension Gauge: SignalInstrument {
    fileprivate static func family<each Value: LabelValue>(
        _ family: SignalFamily,
        _ registry: Registry,
        _ labels: repeat Label<each Value>
    ) throws(MetricsError) -> Family<Gauge, repeat each Value> {
        try registry.gauges(family.name, help: family.help, labels: repeat each labels)
    }
}

extension Histogram: SignalInstrument {
    fileprivate static func family<each Value: LabelValue>(
        _ family: SignalFamily,
        _ registry: Registry,
        _ labels: repeat Label<each Value>
    ) throws(MetricsError) -> Family<Histogram, repeat each Value> {
        let buckets: Buckets = family.kind == .bytes ? .axiomMemory : .axiomLatency
        return try registry.histograms(family.name, help: family.help, labels: repeat each labels, buckets: buckets)
    }
}

private struct CounterSignal: Signal {
    let counter: Counter

    func add(_ amount: Int) {
        if amount > 0 { counter.increment(by: UInt64(amount)) }
    }
}

private struct GaugeSignal: Signal {
    let gauge: Gauge

    func add(_ amount: Int) { gauge.add(Double(amount)) }
    func set(_ value: Double) { gauge.set(value) }
}

private struct DistributionSignal: Signal {
    let histogram: Histogram
    let isOfSeconds: Bool

    /// Ignores NaN and infinities, which would make the sum useless from then on.
    func observe(_ value: Double) {
        if value.isFinite { histogram.observe(value) }
    }

    func observe(nanoseconds: Int64) {
        if isOfSeconds { histogram.observe(nanoseconds: nanoseconds) }
    }
}
