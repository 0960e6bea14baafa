// SPDX-License-Identifier: Apache-2.0

package import AxiomStatistics

/// One metric of one benchmark, compared with its baseline.
package struct ComparisonFinding: Hashable, Sendable {
    package var benchmark: String
    package var metric: Metric
    package var kind: Verdict.Kind
    /// The medians, in the metric's unit.
    package var baseline: Double?
    package var current: Double?
    /// The relative change for the worse, 0.02 being 2 %, and the ends of its interval.
    package var change: Double?
    package var interval: ClosedRange<Double>?
    /// The p-value, adjusted for the others that were confirmed together.
    package var pValue: Double?
    /// The smallest change for the worse that would be found four times in five.
    package var detectable: Double?
    /// The pairs' logarithms of ratios, for plots.
    package var pairs: [Double] = []
    /// An explanation.
    package var detail = ""

    package init(_ benchmark: String, _ metric: Metric, _ kind: Verdict.Kind, _ detail: String = "") {
        self.benchmark = benchmark
        self.metric = metric
        self.kind = kind
        self.detail = detail
    }

    /// This finding, but inconclusive if it is an alarm: the first stage did not look worse.
    var withoutAlarm: ComparisonFinding {
        guard kind == .regressed else { return self }
        var finding = self
        finding.kind = .insufficient
        finding.detail = "looks worse in the second stage only"
        return finding
    }
}

/// One metric of one pair of processes.
package struct PairedValue: Hashable, Sendable {
    /// The natural logarithm of the current build's over the baseline's.
    package let logRatio: Double
    /// The median of the baseline's samples, in the metric's unit.
    package let baseline: Double
    /// The median of the current build's.
    package let current: Double

    package init(logRatio: Double, baseline: Double, current: Double) {
        self.logRatio = logRatio
        self.baseline = baseline
        self.current = current
    }
}
