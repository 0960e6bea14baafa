// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

/// A report for a terminal.
struct TextReport {
    private let report: Report

    init(_ report: Report) { self.report = report }

    var text: String {
        let parts =
            report.mode == "solo" ? [table, goals] : [report.mode == "goals" ? [] : comparison] + functions + [goals]
        let all = parts + [growth, report.doubts, remarks, summary]
        return all.filter { !$0.isEmpty }.map { $0.joined(separator: "\n") }.joined(separator: "\n\n") + "\n"
    }

    /// The medians of every benchmark.
    private var table: [String] {
        let names = report.benchmarks.flatMap { $0.metrics.keys }
        var shown = ["wall", "cpu", "value", "instructions", "allocations", "bytes", "retains", "releases", "peak-rss"]
            .filter(names.contains)
        // Iterations per second repeat the times; bytes per second do not.
        let hasSpeed = report.benchmarks.contains { Self.isSpeed($0.metrics[Metric.throughput.name]) }
        if hasSpeed { shown.insert(Metric.throughput.name, at: shown.contains("cpu") ? 2 : 1) }
        let rows = report.benchmarks.filter { !$0.metrics.isEmpty }.map { benchmark in
            [benchmark.id] + shown.map { Self.cell($0, benchmark.metrics[$0]) }
        }
        return Columns.layout([["benchmark"] + shown] + rows)
    }

    private static func isSpeed(_ metric: Report.MetricReport?) -> Bool { metric?.unit == "MB/s" }

    private static func cell(_ name: String, _ metric: Report.MetricReport?) -> String {
        guard let metric, name != Metric.throughput.name || isSpeed(metric) else { return "-" }
        let hasOwnUnit = name == Metric.value.name || name == Metric.throughput.name
        return hasOwnUnit
            ? "\(Format.number(metric.median)) \(metric.unit)" : Format.value(metric.median, unit: metric.unit)
    }

    /// What was compared, the worst first.
    private var comparison: [String] {
        let order: [Verdict.Kind] = [.crashed, .regressed, .insufficient, .lost, .removed, .incomparable]
        let findings = report.findings.filter { $0.verdict != .information }
        let worst = order.flatMap { kind in findings.filter { $0.verdict == kind } }
        let rest = findings.filter { !order.contains($0.verdict) && $0.verdict != .added }
        let rows = (worst + rest).map { finding in
            [
                finding.benchmark, finding.metric, Format.value(finding.baseline, unit: finding.unit),
                Format.value(finding.current, unit: finding.unit), finding.change.map(Format.change) ?? "-",
                Self.interval(finding), finding.detectable.map { "≥ \(Format.percent($0))" } ?? "",
                finding.verdict.reportName + (finding.detail.map { ": \($0)" } ?? ""),
            ]
        }
        guard !rows.isEmpty else { return [] }
        let head = ["benchmark", "metric", "baseline", "current", "change", "90 % interval", "can see", "verdict"]
        return Columns.layout([head] + rows, left: [0, 1, 7])
    }

    private static func interval(_ finding: Report.FindingReport) -> String {
        guard let low = finding.low, let high = finding.high else { return "" }
        return "\(Format.change(low)) … \(Format.change(high))"
    }

    /// The functions of each benchmark that became slower.
    private var functions: [[String]] {
        report.findings.compactMap { finding in
            finding.functions.map { ["\(finding.benchmark): \($0.words)"] + FunctionTable.lines($0) }
        }
    }

    private var goals: [String] {
        let rows = report.benchmarks.compactMap { benchmark in
            benchmark.goal.map {
                [benchmark.id, $0.statement, $0.measured.map(Format.number) ?? "-", $0.outcome]
            }
        }
        guard !rows.isEmpty else { return [] }
        return Columns.layout([["goal of", "wanted", "measured", ""]] + rows, left: [0, 1, 3])
    }

    private var growth: [String] {
        report.growth.sorted { $0.key < $1.key }.map {
            "\($0.key) grows as n^\(String(format: "%.2f", $0.value))"
        }
    }

    private var remarks: [String] {
        let missing = report.unavailable.sorted { $0.key < $1.key }.map { "\($0.key) is unavailable: \($0.value)" }
        let nulls = report.nullControls.map { control in
            "null control \(control.benchmark): \(Format.change(control.change)), "
                + "pairs vary by \(Format.percent(control.deviation))"
                + (control.problem.map { " - \($0)" } ?? "")
        }
        let added = report.coverage.added.map { "added: \($0)" }
        return nulls + missing + added + report.notes
    }

    private var summary: [String] {
        guard report.mode != "solo" else { return ["\(report.benchmarks.count) benchmarks in \(report.cost)"] }
        guard report.mode != "goals" else {
            return [
                report.goalSummary,
                "a goal is missed if each of \(GoalJudge.processes) processes misses it: if one misses a goal that is met with "
                    + "probability p, then with p^\(GoalJudge.processes); exit code \(report.exitCode)",
            ]
        }
        let kinds: [Verdict.Kind] = [.crashed, .regressed, .removed, .improved, .insufficient, .lost, .incomparable]
        let counts = kinds.compactMap(report.count)
        let judged = "judged \(report.coverage.judged) of \(report.coverage.of) benchmarks"
        let nothing = report.judgedNothing ? "so it is not known whether anything got worse" : "nothing got worse"
        let outcome = counts.isEmpty ? nothing : counts.joined(separator: ", ")
        return [
            "\(judged) against \(report.baseline ?? "the baseline") in \(report.cost): \(outcome)",
            "if nothing got worse, an alarm has a probability of at most \(Format.percent(report.alpha)); "
                + "exit code \(report.exitCode)",
        ]
    }
}
