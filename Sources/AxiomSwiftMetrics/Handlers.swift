// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

/// An instrument, and what its handler needs beside it.
struct Series<Child: Instrument>: Sendable {
    let child: Child
    let family: OpenFamily<Child>
    let log: ProblemLog

    /// Counts a value that would spoil a total.
    @inline(never)
    func refuse(_ what: String) {
        log.refuse(what, of: family.definition.name)
    }
}

/// A handler that records into one instrument. It has no state of its own: two of one instrument are the same.
protocol SeriesHandler<Child>: AnyObject, Sendable {
    associatedtype Child: Instrument

    init(_ series: Series<Child>)

    var series: Series<Child> { get }
}

/// A swift-metrics counter on a registry.
final class CounterSeries: SeriesHandler, CounterHandler {
    let series: Series<AxiomMetrics.Counter>

    init(_ series: Series<AxiomMetrics.Counter>) {
        self.series = series
    }

    func increment(by amount: Int64) {
        guard amount >= 0 else { return series.refuse("a negative increment") }
        series.child.increment(by: UInt64(amount))
    }

    func reset() {
        series.child.reset()
    }
}

/// A swift-metrics floating-point counter on a registry.
final class FloatCounterSeries: SeriesHandler, FloatingPointCounterHandler {
    let series: Series<FloatCounter>

    init(_ series: Series<FloatCounter>) {
        self.series = series
    }

    func increment(by amount: Double) {
        guard amount >= 0, amount < .infinity else { return series.refuse("an increment of \(amount)") }
        series.child.increment(by: amount)
    }

    func reset() {
        series.child.reset()
    }
}

/// A swift-metrics gauge or meter on a registry.
final class GaugeSeries: SeriesHandler, MeterHandler, RecorderHandler {
    let series: Series<AxiomMetrics.Gauge>

    init(_ series: Series<AxiomMetrics.Gauge>) {
        self.series = series
    }

    func set(_ value: Int64) {
        series.child.set(Double(value))
    }

    func set(_ value: Double) {
        series.child.set(value)
    }

    // swift-metrics' own meters ignore amounts that are not positive and finite.

    func increment(by amount: Double) {
        guard amount > 0, amount < .infinity else { return }
        series.child.add(amount)
    }

    func decrement(by amount: Double) {
        guard amount > 0, amount < .infinity else { return }
        series.child.subtract(amount)
    }

    func record(_ value: Int64) {
        series.child.set(Double(value))
    }

    func record(_ value: Double) {
        series.child.set(value)
    }
}

/// An aggregating swift-metrics recorder on a registry.
final class RecorderSeries<Child: ObservingInstrument>: SeriesHandler, RecorderHandler {
    let series: Series<Child>

    init(_ series: Series<Child>) {
        self.series = series
    }

    func record(_ value: Int64) {
        series.child.observe(Double(value))
    }

    func record(_ value: Double) {
        guard value.isFinite else { return series.refuse("an observation of \(value)") }
        series.child.observe(value)
    }
}

/// A histogram of either sort.
protocol ObservingInstrument: Instrument {
    func observe(_ value: Double)
    func observe(nanoseconds: Int64)
}

extension Histogram: ObservingInstrument {}

extension ExponentialHistogram: ObservingInstrument {}

/// A swift-metrics timer on a registry. The unit that a program would like to see is left to its dashboards: the page
/// is in seconds.
final class TimerSeries<Child: ObservingInstrument>: SeriesHandler, TimerHandler {
    let series: Series<Child>

    init(_ series: Series<Child>) {
        self.series = series
    }

    func recordNanoseconds(_ duration: Int64) {
        // A sum that falls is to Prometheus a process that started again.
        guard duration >= 0 else { return series.refuse("a negative time") }
        series.child.observe(nanoseconds: duration)
    }
}
