// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// Compares two recordings. Counts are compared if they were counted in the same way. Times are compared only between
/// machines of one kind and if both recordings have enough processes, because conditions differ between the recordings:
/// the effect must be three times the deviation between processes of the baseline. Everything else is `incomparable`.
struct FileComparison {
    /// The least number of processes that shows how much processes vary.
    static let leastRuns = 10

    let baseline: BaselineFile
    let current: BaselineFile
    var alpha = 0.01
    var minimumEffect = 0.02
    /// Whether times are judged; false if pairs are measured for that.
    var judgesTimes = true
    var metrics: Set<String>?

    private struct Candidate {
        let finding: Int
        let pValue: Double
        let shift: ShiftEstimate
        let floor: Double
    }

    /// The findings of the benchmarks that both recordings have.
    func findings() throws -> [ComparisonFinding] {
        var findings: [ComparisonFinding] = []
        var candidates: [Candidate] = []
        for new in current.benchmarks {
            guard let old = baseline.benchmarks.first(where: { $0.id == new.id }) else { continue }
            for (name, recorded) in old.metrics.sorted(by: { $0.key < $1.key }) where isWanted(name, recorded) {
                var finding = try compare(old, new, name, recorded)
                if finding.kind == .insufficient, finding.interval != nil,
                    let candidate = try candidate(&finding, old, new, name, findings.count)
                {
                    candidates.append(candidate)
                }
                if judgesTimes || !Self.isTime(recorded) { findings.append(finding) }
            }
        }
        let adjusted = try MultipleComparisons.holm(candidates.map(\.pValue))
        for (candidate, pValue) in zip(candidates, adjusted) {
            decide(&findings[candidate.finding], candidate, pValue)
        }
        return findings
    }

    /// Whether a metric is judged: those that were requested, and with any count also values that are counted.
    private func isWanted(_ name: String, _ recorded: RecordedMetric) -> Bool {
        guard let metrics, !metrics.contains(name) else { return true }
        let kinds: [MetricPrecision] = [.exact, .nearExact]
        let isCounted = kinds.contains { $0.name == recorded.kind }
        return isCounted && name == Metric.value.name && Metric.counts.contains { metrics.contains($0.name) }
    }

    private static func isTime(_ metric: RecordedMetric) -> Bool {
        metric.kind == MetricPrecision.noisy.name || metric.kind == MetricPrecision.sampled.name
    }

    private func compare(
        _ old: BenchmarkRecord,
        _ new: BenchmarkRecord,
        _ name: String,
        _ recorded: RecordedMetric
    ) throws -> ComparisonFinding {
        let kind = MetricPrecision(named: recorded.kind) ?? .information
        let metric = Metric(name, unit: recorded.unit, kind: kind, isLowerBetter: recorded.better != "higher")
        let (before, after) = (Self.values(old, name), Self.values(new, name))
        guard !after.isEmpty else {
            return ComparisonFinding(old.id, metric, .lost, "the current build has no such number")
        }
        if let reason = incomparable(old, new, metric) {
            return ComparisonFinding(old.id, metric, .incomparable, reason)
        }
        switch kind {
        case .exact, .nearExact: return CountJudge.judge(old.id, metric, baseline: before, current: after)
        case .noisy, .sampled: return try compareTimes(old.id, metric, before, after)
        default:
            var finding = ComparisonFinding(old.id, metric, .information)
            finding.baseline = try Statistics.median(before)
            finding.current = try Statistics.median(after)
            return finding
        }
    }

    /// The median of each process.
    static func values(_ record: BenchmarkRecord, _ name: String) -> [Double] {
        record.runs.compactMap { $0.samples[name].flatMap { try? Statistics.median($0) } }
    }

    private func incomparable(_ old: BenchmarkRecord, _ new: BenchmarkRecord, _ metric: Metric) -> String? {
        if old.sourceHash != new.sourceHash { return "the benchmark does something else (\(new.sourceHash))" }
        if baseline.build.configuration != current.build.configuration {
            return "built as \(current.build.configuration), and the baseline as \(baseline.build.configuration)"
        }
        switch metric.kind {
        case .exact, .nearExact:
            if old.innerIterations != new.innerIterations { return "another number of iterations was counted" }
            return backendDifference(metric)
        case .noisy, .sampled:
            let match = baseline.fingerprint.match(current.fingerprint)
            return match.isMatch ? nil : "another machine: \(match)"
        default: return nil
        }
    }

    private func backendDifference(_ metric: Metric) -> String? {
        let key =
            switch metric {
            case .instructions: "instructions"
            case .retains, .releases: "references"
            default: "malloc"
            }
        guard let old = baseline.counters[key], let new = current.counters[key] else { return nil }
        let isSame = old.backend == new.backend && old.version == new.version
        if !isSame { return "counted by \(new.backend), and in the baseline by \(old.backend)" }
        guard metric == .instructions else { return nil }
        let match = baseline.fingerprint.match(current.fingerprint)
        return match.isMatch ? nil : "another machine takes other paths: \(match)"
    }

    private func compareTimes(
        _ id: String,
        _ metric: Metric,
        _ before: [Double],
        _ after: [Double]
    ) throws -> ComparisonFinding {
        guard before.count >= Self.leastRuns, after.count >= Self.leastRuns else {
            let least = min(before.count, after.count)
            return ComparisonFinding(
                id,
                metric,
                .incomparable,
                "\(least) processes are too few to know how much they vary"
            )
        }
        guard (before + after).allSatisfy({ $0 > 0 }) else {
            return ComparisonFinding(id, metric, .incomparable, "a time of 0 has no ratio")
        }
        var finding = ComparisonFinding(id, metric, .insufficient)
        finding.baseline = try Statistics.median(before)
        finding.current = try Statistics.median(after)
        finding.interval = 0...0
        return finding
    }

    private func candidate(
        _ finding: inout ComparisonFinding,
        _ old: BenchmarkRecord,
        _ new: BenchmarkRecord,
        _ name: String,
        _ index: Int
    ) throws -> Candidate? {
        let sign = finding.metric.isLowerBetter ? 1.0 : -1
        let before = Self.values(old, name).map { sign * log($0) }
        let after = Self.values(new, name).map { sign * log($0) }
        let shift = try HodgesLehmann.shiftInterval(from: before, to: after, confidence: 0.9)
        let effect = old.metrics[name]?.relativeFloor ?? minimumEffect
        let floor = max(log1p(effect), 3 * (try Statistics.standardDeviation(before)))
        finding.change = expm1(shift.value)
        finding.interval = expm1(shift.lower)...expm1(shift.upper)
        finding.detectable = expm1(floor)
        guard judgesTimes else { return nil }
        let pValue = try MannWhitneyTest(before, after).pValue
        return Candidate(finding: index, pValue: pValue, shift: shift, floor: floor)
    }

    private func decide(_ finding: inout ComparisonFinding, _ candidate: Candidate, _ pValue: Double) {
        finding.pValue = pValue
        if pValue <= alpha, candidate.shift.value >= candidate.floor {
            finding.kind = .regressed
        } else if candidate.shift.upper < candidate.floor {
            let isBetter = candidate.shift.upper < 0 && candidate.shift.value <= -candidate.floor
            finding.kind = isBetter ? .improved : .ok
        } else {
            finding.detail = "a change of \(Format.percent(expm1(candidate.floor))) cannot be excluded"
        }
    }
}

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
