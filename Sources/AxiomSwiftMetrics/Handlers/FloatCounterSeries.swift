// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

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
