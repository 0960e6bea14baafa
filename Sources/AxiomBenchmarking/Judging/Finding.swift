// SPDX-License-Identifier: Apache-2.0

package import AxiomProfile
internal import Foundation

/// One metric of one benchmark, compared with its baseline.
package struct Finding: Hashable, Sendable {
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
    var withoutAlarm: Finding {
        guard kind == .regressed else { return self }
        var finding = self
        finding.kind = .insufficient
        finding.detail = "looks worse in the second stage only"
        return finding
    }
}

/// The comparison of a program with a copy of itself, which every run makes. If it finds a difference, times on this
/// machine cannot be judged at present.
struct NullControl: Hashable, Sendable {
    /// The largest deviation between pairs of equal programs, as a logarithm.
    static let greatestDeviation = 0.1
    /// Fewer pairs say nothing.
    static let leastPairs = 8

    let id: String
    let shift: ShiftEstimate
    let deviation: Double

    init(id: String, logRatios: [Double]) throws(ProfileError) {
        self.id = id
        shift = try HodgesLehmann.interval(of: logRatios, confidence: 0.99)
        deviation = try Statistics.standardDeviation(logRatios)
    }

    /// Why times cannot be judged; nil if they can.
    func problem(minimumEffect: Double) -> String? {
        if deviation > Self.greatestDeviation {
            return "pairs of the same program vary by \(Format.percent(deviation)) (\(id))"
        }
        if !shift.contains(0), abs(shift.value) >= log1p(minimumEffect) / 2 {
            return "the same program differs from itself by \(Format.percent(expm1(shift.value))) (\(id))"
        }
        return nil
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
