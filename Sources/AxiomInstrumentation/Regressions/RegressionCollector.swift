// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Exports the verdicts as metrics.
struct RegressionCollector: Collector {
    let monitor: RegressionMonitor

    func collect() -> [CollectedFamily] {
        monitor.collect()
    }
}
