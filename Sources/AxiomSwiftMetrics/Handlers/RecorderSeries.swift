// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

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
