// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import CoreMetrics

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
