// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

/// An instrument with its family, for a handler.
struct Series<Child: Instrument>: Sendable {
    let child: Child
    let family: OpenFamily<Child>
    let log: FamilyProblemLog

    /// Counts a refused value.
    @inline(never)
    func refuse(_ what: String) {
        log.refuse(what, of: family.definition.name)
    }
}

/// A handler that records into one instrument. It has no state, so two handlers of one instrument are equivalent.
protocol SeriesHandler<Child>: AnyObject, Sendable {
    associatedtype Child: Instrument

    init(_ series: Series<Child>)

    var series: Series<Child> { get }
}

/// A counter of swift-metrics.
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

/// A floating-point counter of swift-metrics.
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

/// A gauge or meter of swift-metrics.
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

/// An aggregating recorder of swift-metrics.
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

/// A classic or an exponential histogram.
protocol ObservingInstrument: Instrument {
    func observe(_ value: Double)
    func observe(nanoseconds: Int64)
}

extension Histogram: ObservingInstrument {}

extension ExponentialHistogram: ObservingInstrument {}

/// A timer of swift-metrics. The page always shows seconds; the preferred display unit of the program is ignored.
final class TimerSeries<Child: ObservingInstrument>: SeriesHandler, TimerHandler {
    let series: Series<Child>

    init(_ series: Series<Child>) {
        self.series = series
    }

    func recordNanoseconds(_ duration: Int64) {
        // Prometheus treats a sum that decreases as a process restart.
        guard duration >= 0 else { return series.refuse("a negative time") }
        series.child.observe(nanoseconds: duration)
    }
}
