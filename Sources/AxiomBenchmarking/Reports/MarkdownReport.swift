// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A report for the summary of a job, or a comment.
enum MarkdownReport {
    static func render(_ report: Report) -> String {
        var lines = ["## axiom-bench", "", summary(report), ""]
        let shown = report.findings.filter { $0.verdict != .information && $0.verdict != .ok }
        // Goals have a table of their own.
        let isCompared = report.mode != "goals"
        if isCompared { lines += table(shown) }
        if report.mode == "solo" { lines += medians(report) }
        let same = isCompared ? report.findings(.ok) : []
        if !same.isEmpty {
            lines += ["<details><summary>\(same.count) unchanged</summary>", ""] + table(same) + ["</details>", ""]
        }
        lines += goals(report)
        lines += (report.doubts + report.notes).map { "- \(cell($0))" }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func summary(_ report: Report) -> String {
        guard report.mode != "solo" else { return "\(report.benchmarks.count) benchmarks" }
        guard report.mode != "goals" else { return report.goalSummary }
        let regressions = report.findings(.regressed).count
        let doubt = report.findings(.insufficient).count
        return
            "**\(regressions) regressions**, \(doubt) inconclusive; judged \(report.coverage.judged) of "
            + "\(report.coverage.of) benchmarks against \(cell(report.baseline ?? "the baseline")). "
            + "Even one false alarm has a probability of at most \(Format.percent(report.alpha))."
    }

    private static func table(_ findings: [Report.FindingReport]) -> [String] {
        guard !findings.isEmpty else { return [] }
        let rows = findings.map { finding in
            let cells = [
                "`\(cell(finding.benchmark))`", finding.metric, Format.value(finding.baseline, unit: finding.unit),
                Format.value(finding.current, unit: finding.unit), finding.change.map(Format.change) ?? "",
                finding.verdict.reportName + (finding.detail.map { ": \(cell($0))" } ?? ""),
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return ["| benchmark | metric | baseline | current | change | verdict |", "|---|---|--:|--:|--:|---|"] + rows
            + [""]
    }

    private static func medians(_ report: Report) -> [String] {
        let rows = report.benchmarks.flatMap { benchmark in
            benchmark.metrics.sorted { $0.key < $1.key }.map { name, metric in
                let value = Format.value(metric.median, unit: metric.unit)
                return "| `\(cell(benchmark.id))` | \(name) | \(value) | \(metric.unit) |"
            }
        }
        return ["| benchmark | metric | median | unit |", "|---|---|--:|---|"] + rows + [""]
    }

    private static func goals(_ report: Report) -> [String] {
        let rows = report.benchmarks.compactMap { benchmark in
            benchmark.goal.map {
                "| `\(cell(benchmark.id))` | \(cell($0.statement)) | \($0.measured.map(Format.number) ?? "-") | "
                    + "\(cell($0.outcome)) |"
            }
        }
        guard !rows.isEmpty else { return [] }
        return ["| goal of | wanted | measured | |", "|---|---|--:|---|"] + rows + [""]
    }

    /// Text that cannot end its cell.
    private static func cell(_ text: String) -> String {
        Markup.escaped(text).split(whereSeparator: \.isNewline).joined(separator: " ")
            .replacingOccurrences(of: "|", with: "\\|")
    }
}
