// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// Puts the verdicts on the page.
struct RegressionCollector: Collector {
    let monitor: RegressionMonitor

    func collect() -> [CollectedFamily] {
        monitor.collect()
    }
}
