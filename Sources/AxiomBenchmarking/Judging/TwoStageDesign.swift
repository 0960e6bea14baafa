// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// One metric of one benchmark that is compared, with the effects that matter.
struct ComparedRow: Hashable, Sendable {
    let benchmark: Int
    let id: String
    let metric: Metric
    /// The least relative change that counts.
    let minimumEffect: Double
    /// The least absolute change that counts, in the metric's unit.
    var absoluteFloor = 0.0
}

/// Finds regressions among many benchmarks, with a stated probability of even one false alarm.
///
/// The first stage measures a few pairs of each benchmark. Rows that look worse, or are undecided, are measured again, and
/// the new pairs decide. They are independent of the choice, so the correction for multiple comparisons (Holm) covers the
/// chosen rows only, which keeps the power that a correction over all rows would cost.
///
/// An alarm needs both stages: a row that was chosen because it was undecided, and looks worse in the second stage only,
/// is inconclusive. If pairs vary so much that all rows are chosen, this makes false alarms about ten times rarer than
/// `alpha`. A real regression looks worse in both stages.
///
/// With more than one look the second stage doubles the pairs of undecided rows until every row is decided. Each look judges
/// all new pairs at an equal share of `alpha`, so that the sum over all looks is `alpha` whenever the run stops (Bonferroni;
/// the numbers of pairs are fixed in advance and do not depend on the measurements). Where ten pairs are undecided, hundreds
/// may decide; then the new pairs may decide alone, without ``needsBothStages``.
struct TwoStageDesign: Hashable, Sendable {
    /// The probability of even one false alarm in the whole run.
    var alpha = 0.01
    /// Pairs of the first stage, of every benchmark.
    var screenPairs = 10
    /// Pairs of the second stage, of chosen benchmarks; more where `alpha` needs more.
    var confirmPairs = 15
    /// The probability that an unchanged benchmark is measured again, before its effect is considered.
    var screenAlpha = 0.05
    /// The number of looks of the second stage, at least 1. Each further look doubles the pairs.
    var looks = 1
    /// Whether an alarm needs that the first stage looked worse, too.
    var needsBothStages = true

    /// The design for programs: the second stage has four times as many pairs, which are short, and up to 240 of a row that stays
    /// undecided.
    static func duet(alpha: Double) -> TwoStageDesign {
        var design = TwoStageDesign()
        (design.alpha, design.confirmPairs, design.looks) = (alpha, 60, 3)
        return design
    }

    /// Measures pairs of the benchmarks of the given numbers. A benchmark that could not be measured has none.
    typealias Measure = (_ benchmarks: [Int], _ pairs: Int) throws -> [Int: [[Metric: PairedValue]]]

    /// Judges all rows.
    ///
    /// - Throws: What `measure` throws, and ``ProfileError`` when the numbers of pairs can never fail.
    func judge(_ rows: [ComparedRow], _ measure: Measure) throws -> [ComparisonFinding] {
        try validate()
        let first = try measure(Set(rows.map(\.benchmark)).sorted(), screenPairs)
        let screened = try rows.map { try screen($0, Self.values($0, first)) }
        let chosen = rows.indices.filter { screened[$0].isChosen }
        guard !chosen.isEmpty else { return screened.map(\.finding) }
        var findings = screened.map(\.finding)
        let confirmed = try confirm(chosen.map { rows[$0] }, first, measure)
        for (index, finding) in zip(chosen, confirmed) {
            findings[index] = screened[index].looksWorse || !needsBothStages ? finding : finding.withoutAlarm
        }
        return findings
    }

    /// The level of one look.
    private var lookAlpha: Double { alpha / Double(looks) }

    /// Measures the rows again and judges them, look by look, until all are decided or there are no more pairs.
    private func confirm(
        _ rows: [ComparedRow],
        _ first: [Int: [[Metric: PairedValue]]],
        _ measure: Measure
    ) throws -> [ComparisonFinding] {
        var benchmarks = Set(rows.map(\.benchmark)).sorted()
        let least = try SignedRankDistribution.leastCount(for: lookAlpha / Double(rows.count))
        var count = max(confirmPairs, least)
        var fresh: [Int: [[Metric: PairedValue]]] = [:]
        var findings: [ComparisonFinding] = []
        for look in 1...looks {
            let more = try measure(benchmarks, count)
            fresh.merge(more) { $0 + $1 }
            // Later looks judge only rows that are undecided so far.
            let judged = try judge(rows, first, fresh)
            findings = look == 1 ? judged : zip(findings, judged).map { $0.kind == .insufficient ? $1 : $0 }
            let isCutShort = benchmarks.contains { (more[$0]?.count ?? 0) < count }
            let open = zip(rows, findings).filter { $1.kind == .insufficient }.map(\.0.benchmark)
            guard !isCutShort, !open.isEmpty else { break }
            benchmarks = Set(open).sorted()
            if look > 1 { count *= 2 }
        }
        return findings
    }

    private func validate() throws {
        let least = try SignedRankDistribution.leastCount(for: min(alpha, screenAlpha))
        guard looks >= 1 else { throw BenchmarkError(.usage, "\(looks) looks judge nothing: take 1 or more") }
        guard screenPairs >= least, confirmPairs >= least else {
            throw BenchmarkError(
                .usage,
                "\(min(screenPairs, confirmPairs)) pairs can never fail at \(alpha): take \(least) or more"
            )
        }
    }

    /// The result of the first stage for a row.
    private struct Screened {
        let finding: ComparisonFinding
        /// Whether it is measured again.
        var isChosen = false
        /// Whether that is because it looks worse, and not because it is undecided.
        var looksWorse = false
    }

    private static func values(_ row: ComparedRow, _ measured: [Int: [[Metric: PairedValue]]]) -> [PairedValue] {
        (measured[row.benchmark] ?? []).compactMap { $0[row.metric] }
    }

    private func screen(_ row: ComparedRow, _ values: [PairedValue]) throws -> Screened {
        let least = try SignedRankDistribution.leastCount(for: screenAlpha)
        guard values.count >= least else {
            return Screened(
                finding: ComparisonFinding(row.id, row.metric, .insufficient, "\(values.count) pairs were measured")
            )
        }
        let comparison = try PairedComparison(logRatios: values.map(\.logRatio), alpha: screenAlpha)
        var finding = try describe(row, values, comparison)
        let floor = log1p(row.minimumEffect)
        let looksWorse = comparison.pValue <= screenAlpha && comparison.shift.value >= floor / 2
        let isTooSmall = Self.isBelowFloor(row, values, comparison.shift.upper)
        if !isTooSmall, looksWorse || comparison.shift.upper >= floor {
            finding.kind = .insufficient
            return Screened(finding: finding, isChosen: true, looksWorse: looksWorse)
        }
        finding.kind = try isBetter(row, values, comparison) ? .improved : .ok
        return Screened(finding: finding)
    }

    private func judge(
        _ rows: [ComparedRow],
        _ first: [Int: [[Metric: PairedValue]]],
        _ fresh: [Int: [[Metric: PairedValue]]]
    ) throws -> [ComparisonFinding] {
        let values = rows.map { Self.values($0, fresh) }
        let pValues = try values.map { values in
            values.isEmpty ? 1 : try SignedRankTest(values.map(\.logRatio)).greater
        }
        let adjusted = try MultipleComparisons.holm(pValues)
        return try rows.indices.map { index in
            try confirmed(rows[index], values[index], Self.values(rows[index], first), adjusted[index])
        }
    }

    private func confirmed(
        _ row: ComparedRow,
        _ fresh: [PairedValue],
        _ first: [PairedValue],
        _ adjusted: Double
    ) throws -> ComparisonFinding {
        guard fresh.count >= (try SignedRankDistribution.leastCount(for: screenAlpha)) else {
            return ComparisonFinding(row.id, row.metric, .insufficient, "\(fresh.count) pairs were measured to confirm")
        }
        let comparison = try PairedComparison(logRatios: fresh.map(\.logRatio), alpha: screenAlpha)
        var finding = try describe(row, fresh, comparison)
        finding.pValue = adjusted
        let floor = log1p(row.minimumEffect)
        if adjusted <= lookAlpha, comparison.shift.value >= floor,
            !Self.isBelowFloor(row, fresh, comparison.shift.value)
        {
            finding.kind = .regressed
            return finding
        }
        // No alarm. All pairs decide whether an effect that matters can be excluded.
        let all = try PairedComparison(logRatios: (first + fresh).map(\.logRatio), alpha: screenAlpha)
        let isExcluded = all.shift.upper < floor || Self.isBelowFloor(row, fresh, all.shift.upper)
        finding.kind = isExcluded ? .ok : .insufficient
        if !isExcluded { finding.detail = "a change of \(Format.percent(row.minimumEffect)) cannot be excluded" }
        return finding
    }

    private func describe(
        _ row: ComparedRow,
        _ values: [PairedValue],
        _ comparison: PairedComparison
    ) throws -> ComparisonFinding {
        var finding = ComparisonFinding(row.id, row.metric, .ok)
        finding.baseline = try Statistics.median(values.map(\.baseline))
        finding.current = try Statistics.median(values.map(\.current))
        finding.change = expm1(comparison.shift.value)
        finding.interval = expm1(comparison.shift.lower)...expm1(comparison.shift.upper)
        finding.pairs = comparison.logRatios
        let deviation = try Statistics.standardDeviation(comparison.logRatios)
        finding.detectable = try MinimumDetectableEffect.effect(
            deviation: deviation,
            count: max(confirmPairs, values.count, 2),
            alpha: lookAlpha
        )
        return finding
    }

    /// Whether a shift is less than what counts in the metric's own unit.
    private static func isBelowFloor(_ row: ComparedRow, _ values: [PairedValue], _ shift: Double) -> Bool {
        guard row.absoluteFloor > 0, let level = try? Statistics.median(values.map(\.baseline)) else { return false }
        return expm1(shift) * level < row.absoluteFloor
    }

    /// An improvement does not gate: a one-sided test at a share of the level.
    private func isBetter(_ row: ComparedRow, _ values: [PairedValue], _ comparison: PairedComparison) throws -> Bool {
        guard comparison.shift.value <= -log1p(row.minimumEffect), comparison.shift.upper < 0 else { return false }
        let pValue = try SignedRankTest(values.map(\.logRatio)).less
        return pValue <= alpha
    }
}
