// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics

/// Compares counts: exact numbers by equality, nearly exact ones with a small tolerance.
enum CountJudge {
    /// The relative change that counts for numbers that are nearly exact.
    static let nearExactFloor = 0.002
    /// The largest relative difference between runs of a nearly exact metric that is judged.
    static let agreement = 0.001

    /// Compares the counts of some runs of both builds.
    ///
    /// - Parameter baseline: One number for each run, as in `current`.
    static func judge(
        _ id: String,
        _ metric: Metric,
        baseline: [Double],
        current: [Double]
    ) -> ComparisonFinding {
        guard let old = best(baseline, metric), let new = best(current, metric) else {
            let kind: Verdict.Kind = current.isEmpty && !baseline.isEmpty ? .lost : .added
            return ComparisonFinding(id, metric, kind)
        }
        var finding = ComparisonFinding(id, metric, .ok)
        (finding.baseline, finding.current) = (old, new)
        if old != 0 {
            finding.change = metric.isLowerBetter ? new / old - 1 : old / max(new, .leastNonzeroMagnitude) - 1
        }
        finding.kind = metric.kind == .exact ? exact(baseline, current, metric) : near(baseline, current, metric)
        finding.detail = words(finding, baseline, current, metric)
        return finding
    }

    private static func exact(_ baseline: [Double], _ current: [Double], _ metric: Metric) -> Verdict.Kind {
        guard let old = common(baseline) else { return .information }
        // Worse in every run is a regression, also if the runs differ.
        let isWorse = { metric.isLowerBetter ? $0 > old : $0 < old }
        if current.allSatisfy(isWorse) { return .regressed }
        guard let new = common(current) else { return .insufficient }
        return new == old ? .ok : isWorse(new) ? .regressed : .improved
    }

    /// The number that three quarters of the runs or more have; nil if there is none.
    private static func common(_ runs: [Double]) -> Double? {
        let counts = Dictionary(runs.map { ($0, 1) }, uniquingKeysWith: +)
        return counts.first { 4 * $0.value >= 3 * runs.count }?.key
    }

    private static func near(_ baseline: [Double], _ current: [Double], _ metric: Metric) -> Verdict.Kind {
        guard agrees(baseline), agrees(current), let old = best(baseline, metric), let new = best(current, metric)
        else { return .information }
        let ratio =
            metric.isLowerBetter ? new / max(old, .leastNonzeroMagnitude) : old / max(new, .leastNonzeroMagnitude)
        if ratio > 1 + nearExactFloor { return .regressed }
        return ratio < 1 - nearExactFloor ? .improved : .ok
    }

    private static func agrees(_ runs: [Double]) -> Bool {
        guard let least = runs.min(), let most = runs.max() else { return false }
        return most <= least * (1 + agreement)
    }

    private static func best(_ runs: [Double], _ metric: Metric) -> Double? {
        let common = metric.kind == .exact ? common(runs) : nil
        return common ?? (metric.isLowerBetter ? runs.min() : runs.max())
    }

    private static func words(
        _ finding: ComparisonFinding,
        _ baseline: [Double],
        _ current: [Double],
        _ metric: Metric
    ) -> String {
        switch finding.kind {
        case .information:
            return "differs between runs of one build (\(Format.range(baseline)); \(Format.range(current)))"
        case .insufficient:
            return "became nondeterministic: \(Format.range(current)), and was \(Format.number(common(baseline) ?? 0))"
        case .ok, .regressed, .improved:
            guard metric.kind == .exact, Set(current).count > 1, let common = common(current) else { return "" }
            let others = current.count(where: { $0 != common })
            return "\(others) of \(current.count) processes differ: \(Format.range(current))"
        default: return ""
        }
    }
}
