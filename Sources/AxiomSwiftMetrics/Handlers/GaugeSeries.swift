// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

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
