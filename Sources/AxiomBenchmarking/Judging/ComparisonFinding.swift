// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// One metric of one benchmark, compared with its baseline.
struct ComparisonFinding: Hashable, Sendable {
    var benchmark: String
    var metric: Metric
    var kind: Verdict.Kind
    /// The medians, in the metric's unit.
    var baseline: Double?
    var current: Double?
    /// The relative change for the worse, 0.02 being 2 %, and the ends of its interval.
    var change: Double?
    var interval: ClosedRange<Double>?
    /// The p-value, adjusted for the others that were confirmed together.
    var pValue: Double?
    /// The smallest change for the worse that would be found four times in five.
    var detectable: Double?
    /// The pairs' logarithms of ratios, for plots.
    var pairs: [Double] = []
    /// An explanation.
    var detail = ""
    /// The functions that changed, of the first time of a benchmark that became worse.
    var functions: ChangedFunctions?

    init(_ benchmark: String, _ metric: Metric, _ kind: Verdict.Kind, _ detail: String = "") {
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
struct PairedValue: Hashable, Sendable {
    /// The natural logarithm of the current build's over the baseline's.
    let logRatio: Double
    /// The median of the baseline's samples, in the metric's unit.
    let baseline: Double
    /// The median of the current build's.
    let current: Double
}
