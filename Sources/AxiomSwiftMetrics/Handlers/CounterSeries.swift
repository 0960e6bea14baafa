// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

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
