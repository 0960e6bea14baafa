// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import AxiomProfile

/// The families of verdicts, filled at each scrape.
struct RegressionFamilies {
    private var active = CollectedFamily.gauge(
        "axiom_regression_active",
        help: "1 while a percentile of an action's duration is judged to have grown since the baseline.",
        labels: "component",
        "action",
        "percentile"
    )
    private var ratio = CollectedFamily.gauge(
        "axiom_regression_ratio",
        help: "A percentile of an action's duration over the baseline's; NaN while it cannot be judged.",
        labels: "component",
        "action",
        "percentile"
    )

    private var blind = CollectedFamily.gauge(
        "axiom_regression_blind",
        help: "1 while an action's durations follow something, such as load, so that only gross growth can be judged.",
        labels: "component",
        "action"
    )

    /// The families that have a series.
    var all: [CollectedFamily] { [active, ratio, blind].filter { !$0.isEmpty } }

    mutating func add(_ operation: TimedOperation, _ percentiles: [Double], _ verdict: LiveVerdict?) {
        let isBlind = verdict?.verdict.reason == .autocorrelation
        blind.add(isBlind ? 1 : 0, operation.component, operation.action)
        for percentile in percentiles {
            let finding = verdict?.findings.first { $0.percentile == percentile }
            let labels = [operation.component, operation.action, Self.name(of: percentile)]
            active.add(finding?.isRegressed == true ? 1 : 0, labelValues: labels)
            ratio.add(finding?.ratio ?? .nan, labelValues: labels)
        }
    }

    /// The name of a percentile: `p50` for 0.5, `p99.9` for 0.999.
    static func name(of percentile: Double) -> String {
        let percent = (percentile * 1e8).rounded() / 1e6
        return Int(exactly: percent).map { "p\($0)" } ?? "p\(percent)"
    }
}
