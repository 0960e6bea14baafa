// SPDX-License-Identifier: Apache-2.0

package import Axiom
package import AxiomBase
internal import AxiomMetrics

/// Records the signals of other modules. Each is bound once to an instrument of the registry.
final class SignalMetrics: Sendable {
    /// More families are recorded, but not read as signals.
    private static let familyLimit = 200

    let registry: Registry
    private let budgets: BudgetMonitor
    private let detail: DetailLevel
    /// Records waits; nil if nothing does.
    private let spans: SpanProbes?
    /// The families with labels for detail, if the page is lean: the page has their sums, and the readings have these.
    private let detailed = Registry()
    /// Those with a signal, in the order of the first one.
    private let bound = Lock<[SignalFamily]>([])

    init(_ registry: Registry, _ budgets: BudgetMonitor, _ spans: SpanProbes?, detail: DetailLevel) {
        self.registry = registry
        self.spans = spans
        self.budgets = budgets
        self.detail = detail
    }

    /// The families with a signal, in the order of their first one.
    var families: [SignalFamily] { bound.withLock { $0 } }

    /// Binds a signal, and remembers its family.
    ///
    /// - Throws: ``TelemetryError`` if the family cannot be registered or the number of values is wrong.
    func signal(_ family: SignalFamily, _ values: [String]) throws(TelemetryError) -> any Signal {
        let signal = try instrument(family, values)
        bound.withLock { families in
            guard families.count < Self.familyLimit, !families.contains(where: { $0.name == family.name }) else {
                return
            }
            families.append(family)
        }
        return signal
    }

    /// - Throws: ``TelemetryError`` if the family cannot be registered or the number of values is wrong.
    private func instrument(_ family: SignalFamily, _ values: [String]) throws(TelemetryError) -> any Signal {
        guard hasSum(family) else { return try instrument(family, values, registry) }
        let sum = zip(family.labels, values).map { family.detailLabels.contains($0) ? "" : $1 }
        return PairedSignal(
            shown: try instrument(family, sum, registry),
            detailed: try instrument(family, values, detailed)
        )
    }

    /// Whether the page has sums of the family's signals, which are recorded in ``detailed``.
    private func hasSum(_ family: SignalFamily) -> Bool {
        detail == .lean && !family.detailLabels.isEmpty
    }

    /// The present values of families, in their order; nil for one without values.
    func snapshots(of families: [SignalFamily]) -> [FamilySnapshot?] {
        let names = families.map(\.name)
        return zip(zip(families, registry.collect(families: names)), detailed.collect(families: names)).map {
            hasSum($0.0) ? $1 : $0.1
        }
    }

    /// - Throws: ``TelemetryError`` if the family cannot be registered or the number of values is wrong.
    private func instrument(
        _ family: SignalFamily,
        _ values: [String],
        _ registry: Registry
    ) throws(TelemetryError) -> any Signal {
        guard values.count == family.labels.count else {
            let numbers = "it has \(family.labels.count) labels and is given \(values.count) values"
            throw TelemetryError.invalidSignal(family.name, numbers)
        }
        guard values.count <= SignalFamily.maximumLabels else {
            throw TelemetryError.invalidSignal(family.name, "it has more than \(SignalFamily.maximumLabels) labels")
        }
        do {
            switch family.kind {
            case .counter: return CounterSignal(counter: try series(.counter, family, values, registry))
            case .gauge: return GaugeSignal(gauge: try series(.gauge, family, values, registry))
            case .seconds:
                let durations = (registry === self.registry ? detail : .full).durations()
                let signal = duration(of: family, values, try series(durations, family, values, registry), registry)
                guard family.isWait, let spans else { return signal }
                return WaitSignal(signal, family, values, spans, budgets.clock)
            case .bytes:
                let sizes = MetricRecipe.exponentialHistogram(.axiomDistribution, buckets: .axiomMemory)
                return SizeSignal(histogram: try series(sizes, family, values, registry))
            }
        } catch {
            throw TelemetryError.invalidSignal(family.name, error.description)
        }
    }

    /// A signal of durations, which are checked if they are the operations of a budget.
    private func duration(
        of family: SignalFamily,
        _ values: [String],
        _ histogram: ExponentialHistogram,
        _ registry: Registry
    ) -> any Signal {
        let signal = DurationSignal(histogram: histogram)
        // Of a sum and its parts, the parts are checked.
        guard registry === detailed || !hasSum(family), let check = budgets.check(family, values, histogram)
        else { return signal }
        return CheckedSignal(signal: signal, check: check)
    }

    private func series<I: Instrument>(
        _ recipe: MetricRecipe<I>,
        _ family: SignalFamily,
        _ values: [String],
        _ registry: Registry
    ) throws(MetricsError) -> I {
        let labels = zip(family.labels, values).map { (name: $0, value: $1) }
        return try registry.series(recipe, family.name, help: family.help, labels: labels)
    }
}

/// A signal of a module, with its value at one moment.
package struct SignalReading: Sendable {
    /// The family, as the module declared it.
    package let family: SignalFamily
    /// The values of the family's labels, in their order.
    package let values: [String]
    /// The total of a counter, the value of a gauge, or the number of observations.
    package let value: Double
    /// The durations in seconds, or the sizes in bytes; nil for a counter and a gauge.
    package let distribution: ExponentialHistogramData?
}

extension SignalMetrics {
    /// The families in the order of their first signal, of each at most `limit` in the order of their labels.
    func signals(atMost limit: Int, except hidden: Set<String>) -> [SignalReading] {
        let families = families.filter { !hidden.contains($0.name) }
        return zip(families, snapshots(of: families)).flatMap { family, snapshot -> [SignalReading] in
            guard let snapshot else { return [] }
            return snapshot.prefix(limit).map { SignalReading(family, $0) }
        }
    }
}

extension SignalReading {
    fileprivate init(_ family: SignalFamily, _ series: SeriesSnapshot) {
        self.family = family
        let pairs = Dictionary(series.labels.pairs.map { ($0.name, $0.value) }) { first, _ in first }
        values = family.labels.map { pairs[$0] ?? "" }
        value = series.value
        distribution = series.exponential
    }
}
