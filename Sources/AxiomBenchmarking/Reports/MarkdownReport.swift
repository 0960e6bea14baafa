// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A report for a comment, or for the summary of a job: the verdict, then what changed. All else is folded.
enum MarkdownReport {
    /// A comment of GitHub has at most 65,536 characters.
    static let limit = 60_000

    /// Lines of which the middle ones can be left out.
    private struct Section {
        var head: [String] = []
        var rows: [String]
        var tail = [""]

        /// The same, shown on request, or at once.
        func folded(_ title: String, isOpen: Bool = false) -> Section {
            Section(
                head: ["<details\(isOpen ? " open" : "")><summary>\(title)</summary>", ""] + head,
                rows: rows,
                tail: ["", "</details>", ""]
            )
        }
    }

    static func render(_ report: Report) -> String {
        var lines = ["## axiom-bench: \(verdict(report))", "", summary(report), ""]
        // The line below is added if it is needed.
        var (left, omitted) = (limit - lines.reduce(200) { $0 + $1.utf8.count }, 0)
        for section in sections(report) where !section.rows.isEmpty {
            left -= (section.head + section.tail).reduce(0) { $0 + $1.utf8.count + 1 }
            let rows = section.rows.prefix { row in
                left -= row.utf8.count + 1
                return left >= 0
            }
            omitted += section.rows.count - rows.count
            if !rows.isEmpty { lines += section.head + rows + section.tail }
        }
        if omitted > 0 { lines.append("\(omitted) lines were left out at 60 kB: `--format json` has all.") }
        return lines.joined(separator: "\n") + "\n"
    }

    /// How many results are bad, and the first of them; then how many have no verdict or are better.
    private static func verdict(_ report: Report) -> String {
        let kinds: [Verdict.Kind] = [.crashed, .regressed, .missed, .removed]
        let bad = kinds.flatMap { report.findings($0) }
        let others = [Verdict.Kind.insufficient, .lost, .improved].compactMap(report.count)
        guard !bad.isEmpty else {
            let nothing = report.judgedNothing ? "nothing was judged" : "nothing got worse"
            return ([report.mode == "solo" ? "\(report.benchmarks.count) benchmarks" : nothing] + others)
                .joined(separator: ", ")
        }
        let first = bad.prefix(3).map { finding in
            "\(code(String(finding.benchmark.prefix(100)))) \(finding.metric)"
                + (finding.change.map { " \(Format.change($0))" } ?? "")
        }
        let names = first + (bad.count > 3 ? ["\(bad.count - 3) more"] : [])
        let worse = "\(kinds.compactMap(report.count).joined(separator: ", ")): \(names.joined(separator: ", "))"
        return worse + (others.isEmpty ? "" : "; \(others.joined(separator: ", "))")
    }

    private static func summary(_ report: Report) -> String {
        guard report.mode != "solo" else { return "Measured in \(report.cost)." }
        guard report.mode != "goals" else { return "\(report.goalSummary). Exit code \(report.exitCode)." }
        return
            "Judged \(report.coverage.judged) of \(report.coverage.of) benchmarks against "
            + "\(cell(report.baseline ?? "the baseline")) in \(report.cost). Exit code \(report.exitCode). "
            + "If nothing got worse, an alarm has a probability of at most \(Format.percent(report.alpha))."
    }

    private static func sections(_ report: Report) -> [Section] {
        // Goals have a table of their own.
        let shown = report.mode == "goals" ? [] : report.findings.filter { $0.verdict != .information }
        let changed: [Verdict.Kind] = [.crashed, .regressed, .removed, .improved]
        let unchanged = shown.filter { $0.verdict == .ok }
        let rest = shown.filter { !changed.contains($0.verdict) && $0.verdict != .ok }
        let notes = (report.doubts + report.notes).map { "- \(cell($0))" }
        let findings = changed.flatMap { kind in shown.filter { $0.verdict == kind } }
        return [table(findings)] + findings.compactMap(functions) + [
            goals(report),
            report.mode == "solo" ? medians(report) : Section(rows: []),
            // With an exit code of 3 a reader looks for the reason.
            table(rest).folded("\(rest.count) without a verdict", isOpen: report.exitCode == 3),
            table(unchanged).folded("\(unchanged.count) unchanged"),
            Section(rows: notes).folded("Notes: \(notes.count)"),
        ]
    }

    private static func table(_ findings: [Report.FindingReport]) -> Section {
        let rows = findings.map { finding in
            let cells = [
                code(finding.benchmark), finding.metric, Format.value(finding.baseline, unit: finding.unit),
                Format.value(finding.current, unit: finding.unit), finding.change.map(Format.change) ?? "",
                finding.verdict.reportName + (finding.detail.map { ": \(cell(String($0.prefix(1_000))))" } ?? ""),
            ]
            return "| " + cells.joined(separator: " | ") + " |"
        }
        return Section(
            head: ["| benchmark | metric | baseline | current | change | verdict |", "|---|---|--:|--:|--:|---|"],
            rows: rows
        )
    }

    private static func functions(_ finding: Report.FindingReport) -> Section? {
        guard let functions = finding.functions else { return nil }
        let words = "\(code(finding.benchmark)): \(cell(functions.words))"
        guard !functions.named.isEmpty else { return Section(rows: [words]) }
        func line(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }
        let rows = FunctionTable.rows(functions)
        return Section(
            head: [words, "", line(rows[0]), "|---|--:|--:|--:|--:|"],
            rows: rows.dropFirst().map { line([code($0[0])] + $0.dropFirst()) }
        )
    }

    private static func medians(_ report: Report) -> Section {
        let rows = report.benchmarks.flatMap { benchmark in
            benchmark.metrics.sorted { $0.key < $1.key }.map { name, metric in
                let value = Format.value(metric.median, unit: metric.unit)
                return "| \(code(benchmark.id)) | \(name) | \(value) | \(cell(metric.unit)) |"
            }
        }
        return Section(head: ["| benchmark | metric | median | unit |", "|---|---|--:|---|"], rows: rows)
    }

    private static func goals(_ report: Report) -> Section {
        let rows = report.benchmarks.compactMap { benchmark in
            benchmark.goal.map {
                "| \(code(benchmark.id)) | \(cell($0.statement)) | \($0.measured.map(Format.number) ?? "-") | "
                    + "\(cell($0.outcome)) |"
            }
        }
        return Section(head: ["| goal of | wanted | measured | |", "|---|---|--:|---|"], rows: rows)
    }

    /// Text that cannot end its cell.
    private static func cell(_ text: String) -> String {
        Markup.escaped(text).split(whereSeparator: \.isNewline).joined(separator: " ")
            .replacingOccurrences(of: "|", with: "\\|")
    }

    /// A name as code, in which markup has no effect and is not escaped.
    private static func code(_ name: String) -> String {
        let line = name.split(whereSeparator: \.isNewline).joined(separator: " ")
        return "`" + line.replacingOccurrences(of: "`", with: "'").replacingOccurrences(of: "|", with: "\\|") + "`"
    }
}
