// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A report as one file for a browser, which loads nothing: a table, with the interval and the pairs of each row drawn.
enum HTMLReport {
    static func render(_ report: Report) -> String {
        let shown = report.findings.filter { $0.verdict != .information }
        let scale = max(0.05, shown.compactMap { max(abs($0.low ?? 0), abs($0.high ?? 0)) }.max() ?? 0)
        let rows = shown.map { row($0, scale: min(scale, 1)) }
        let medians = report.mode == "solo" ? solo(report) : ""
        return """
            <!DOCTYPE html>
            <html lang="en"><head><meta charset="utf-8"><title>axiom-bench</title>
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <style>\(style)</style></head><body>
            <h1>axiom-bench</h1>
            <p>\(Markup.escaped(summary(report)))</p>
            <table><thead><tr><th>benchmark</th><th>metric</th><th>baseline</th><th>current</th><th>change</th>
            <th>90 % interval, ±\(Format.percent(min(scale, 1)))</th><th>pairs</th><th>verdict</th></tr></thead>
            <tbody>
            \(rows.joined(separator: "\n"))
            \(medians)
            </tbody></table>
            \(shown.map(DifferenceFlames.render).joined())
            <ul>\((report.doubts + report.notes).map { "<li>\(Markup.escaped($0))</li>" }.joined())</ul>
            </body></html>

            """
    }

    static let style = """
        body{font:14px system-ui,sans-serif;margin:2em;color:#222;background:#fff}
        table{border-collapse:collapse}td,th{padding:.3em .8em;border-bottom:1px solid #ddd;text-align:right}
        td:first-child,th:first-child,td:last-child,th:last-child{text-align:left}
        .regression,.missed,.crashed,.removed{color:#b00020;font-weight:600}.improvement{color:#00695c}
        .inconclusive,.incomparable{color:#8a6d00}
        @media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}td,th{border-color:#444}}
        """

    private static func summary(_ report: Report) -> String {
        guard report.mode != "goals" else { return "\(report.goalSummary). Exit code \(report.exitCode)." }
        guard report.mode != "solo" else { return "\(report.benchmarks.count) benchmarks in \(report.cost)" }
        return
            "Judged \(report.coverage.judged) of \(report.coverage.of) benchmarks against "
            + "\(report.baseline ?? "the baseline") in \(report.cost). If nothing got worse, an alarm has a probability of at most "
            + "\(Format.percent(report.alpha)). Exit code \(report.exitCode)."
    }

    private static func row(_ finding: Report.FindingReport, scale: Double) -> String {
        let cells = [
            Markup.escaped(finding.benchmark), Markup.escaped(finding.metric),
            Format.value(finding.baseline, unit: finding.unit), Format.value(finding.current, unit: finding.unit),
            finding.change.map(Format.change) ?? "", forest(finding, scale), scatter(finding, scale),
        ]
        let kind = finding.verdict.reportName
        let detail = finding.detail.map { ": \(Markup.escaped($0))" } ?? ""
        let rest = cells.map { "<td>\($0)</td>" }.joined()
        return "<tr>\(rest)<td class=\"\(kind)\">\(kind)\(detail)</td></tr>"
    }

    /// The interval as a line about the line of no change.
    private static func forest(_ finding: Report.FindingReport, _ scale: Double) -> String {
        guard let low = finding.low, let high = finding.high, let change = finding.change else { return "" }
        let (left, right, middle) = (x(low, scale), x(high, scale), x(change, scale))
        return """
            <svg width="200" height="16" role="img" aria-label="interval"><line x1="100" x2="100" y1="0" y2="16" \
            stroke="#999"/><line x1="\(left)" x2="\(right)" y1="8" y2="8" stroke="currentColor" stroke-width="2"/>\
            <circle cx="\(middle)" cy="8" r="3" fill="currentColor"/></svg>
            """
    }

    /// Each pair as a point, in the order of time from top to bottom.
    private static func scatter(_ finding: Report.FindingReport, _ scale: Double) -> String {
        guard let pairs = finding.pairs, !pairs.isEmpty else { return "" }
        let points = pairs.enumerated().map { index, pair in
            let y = 2 + Double(index) * 28 / Double(max(1, pairs.count - 1))
            return "<circle cx=\"\(x(expm1(pair), scale))\" cy=\"\(String(format: "%.1f", y))\" r=\"1.5\"/>"
        }
        return """
            <svg width="200" height="32" role="img" aria-label="pairs"><line x1="100" x2="100" y1="0" y2="32" \
            stroke="#999"/><g fill="currentColor">\(points.joined())</g></svg>
            """
    }

    private static func x(_ change: Double, _ scale: Double) -> String {
        String(format: "%.1f", 100 + max(-1, min(1, change / scale)) * 96)
    }

    private static func solo(_ report: Report) -> String {
        report.benchmarks.flatMap { benchmark in
            benchmark.metrics.sorted { $0.key < $1.key }.map { name, metric in
                "<tr><td>\(Markup.escaped(benchmark.id))</td><td>\(Markup.escaped(name))</td><td></td><td>"
                    + "\(Format.value(metric.median, unit: metric.unit))</td><td></td><td></td><td></td><td></td></tr>"
            }
        }.joined(separator: "\n")
    }
}
