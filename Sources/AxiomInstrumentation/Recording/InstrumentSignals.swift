// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

// The signals of other modules, each with the instrument that records it.

struct CounterSignal: Signal {
    let counter: Counter

    func add(_ amount: Int) {
        if amount > 0 { counter.increment(by: UInt64(amount)) }
    }
}

struct GaugeSignal: Signal {
    let gauge: Gauge

    func add(_ amount: Int) { gauge.add(Double(amount)) }
    func set(_ value: Double) { gauge.set(value) }
}

struct SizeSignal: Signal {
    let histogram: ExponentialHistogram

    /// Ignores NaN and infinities, which would make the sum useless from then on.
    func observe(_ value: Double) {
        if value.isFinite { histogram.observe(value) }
    }
}

struct DurationSignal: Signal {
    let histogram: ExponentialHistogram

    /// Ignores NaN and infinities, which would make the sum useless from then on.
    func observe(_ value: Double) {
        if value.isFinite { histogram.observe(value) }
    }

    func observe(nanoseconds: Int64) {
        histogram.observe(nanoseconds: nanoseconds)
    }
}

/// A signal on the page, and one of the signals that it adds up.
struct PairedSignal: Signal {
    let shown: any Signal
    let detailed: any Signal

    func add(_ amount: Int) {
        shown.add(amount)
        detailed.add(amount)
    }

    func observe(_ value: Double) {
        shown.observe(value)
        detailed.observe(value)
    }

    func observe(nanoseconds: Int64) {
        shown.observe(nanoseconds: nanoseconds)
        detailed.observe(nanoseconds: nanoseconds)
    }
}

/// Waits of the calling task, of which the longer ones are spans of its trace.
struct WaitSignal: Signal {
    private let signal: any Signal
    private let name: String
    private let spans: SpanProbes
    private let clock: TimeSource

    init(_ signal: any Signal, _ family: SignalFamily, _ values: [String], _ spans: SpanProbes, _ clock: TimeSource) {
        (self.signal, self.spans, self.clock) = (signal, spans, clock)
        name = zip(family.labels, values).map { "\($0) \($1)" }.joined(separator: ", ")
    }

    func observe(_ value: Double) { signal.observe(value) }

    func observe(nanoseconds: Int64) {
        signal.observe(nanoseconds: nanoseconds)
        guard nanoseconds >= SpanRecord.shortestWait, !OperationContext.currentSpan.isNone else { return }
        let start = clock.now.advanced(by: .nanoseconds(-nanoseconds))
        spans.probe(named: name).record(SpanRecord(.wait, .action(0), start: start, nanoseconds: nanoseconds))
    }
}

/// Durations that are the operations of a budget.
struct CheckedSignal: Signal {
    let signal: DurationSignal
    let check: BudgetCheck

    func observe(_ value: Double) {
        guard value.isFinite else { return }
        signal.observe(value)
        check.check(Int64(min(max(value, 0), 9e9) * 1e9))
    }

    func observe(nanoseconds: Int64) {
        signal.observe(nanoseconds: nanoseconds)
        check.check(nanoseconds)
    }
}
