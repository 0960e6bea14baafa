// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomStatistics
internal import Foundation

/// A report for continuous integration: one test case for each metric of each benchmark.
enum JUnitReport {
    static func render(_ report: Report) -> String {
        let findings = report.findings.filter { $0.verdict != .information && $0.verdict != .added }
        let failures = findings.filter(isFailure).count
        let errors = findings.filter { $0.verdict == .crashed }.count
        let skipped = findings.filter { isSkipped($0) }.count
        let head =
            "<testsuite name=\"axiom-bench\" tests=\"\(findings.count)\" failures=\"\(failures)\" "
            + "errors=\"\(errors)\" skipped=\"\(skipped)\" time=\"\(report.seconds)\">"
        let cost =
            "  <properties><property name=\"processor-seconds\" value=\"\(report.processorSeconds)\"/></properties>"
        let lines =
            ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>", head, cost] + findings.map(testCase) + ["</testsuite>"]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func isFailure(_ finding: Report.FindingReport) -> Bool {
        [.regressed, .missed, .removed].contains(finding.verdict)
    }

    private static func isSkipped(_ finding: Report.FindingReport) -> Bool {
        [.insufficient, .incomparable, .lost].contains(finding.verdict)
    }

    private static func testCase(_ finding: Report.FindingReport) -> String {
        let (name, metric) = (Markup.escaped(finding.benchmark), Markup.escaped(finding.metric))
        let opening = "  <testcase classname=\"\(name)\" name=\"\(metric)\""
        let message = Markup.escaped(words(finding))
        if isFailure(finding) { return "\(opening)><failure message=\"\(message)\"/></testcase>" }
        if finding.verdict == .crashed { return "\(opening)><error message=\"\(message)\"/></testcase>" }
        if isSkipped(finding) { return "\(opening)><skipped message=\"\(message)\"/></testcase>" }
        return "\(opening)/>"
    }

    /// A finding in one line.
    static func words(_ finding: Report.FindingReport) -> String {
        var words = finding.verdict.reportName
        if let change = finding.change { words += " \(Format.change(change))" }
        if let old = finding.baseline, let new = finding.current {
            words += ", from \(Format.value(old, unit: finding.unit)) to \(Format.value(new, unit: finding.unit))"
        }
        return words + (finding.detail.map { " (\($0))" } ?? "")
    }
}

/// Every measurement, one in a line (RFC 4180).
enum CSVReport {
    static func render(_ report: Report) -> String {
        var lines = ["benchmark,metric,unit,kind,sample,value,verdict,change"]
        for benchmark in report.benchmarks {
            for (name, metric) in benchmark.metrics.sorted(by: { $0.key < $1.key }) {
                let finding = report.findings.first { $0.benchmark == benchmark.id && $0.metric == name }
                let verdict = finding?.verdict.reportName ?? ""
                let change = finding?.change.map { "\($0)" } ?? ""
                for (index, value) in metric.samples.enumerated() {
                    let cells = [
                        benchmark.id, name, metric.unit, metric.kind, "\(index)", "\(value)", verdict, change,
                    ]
                    lines.append(cells.map(field).joined(separator: ","))
                }
            }
        }
        return lines.joined(separator: "\r\n") + "\r\n"
    }

    private static func field(_ text: String) -> String {
        guard text.contains(where: { ",\"\r\n".contains($0) || $0.isNewline }) else { return text }
        return "\"" + text.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

/// The report as text of Prometheus (0.0.4), for the node exporter's textfile collector or a Pushgateway.
enum PrometheusReport {
    static func render(_ report: Report) -> String {
        var lines = [
            "# HELP axiom_bench_median The median of a metric of a benchmark, in the unit of its label.",
            "# TYPE axiom_bench_median gauge",
        ]
        for benchmark in report.benchmarks {
            for (name, metric) in benchmark.metrics.sorted(by: { $0.key < $1.key }) {
                let labels = [("benchmark", benchmark.id), ("metric", name), ("unit", metric.unit)]
                lines.append("axiom_bench_median\(text(labels)) \(metric.median)")
            }
        }
        lines += changes(report)
        lines += [
            "# HELP axiom_bench_exit_code How the run ended: 0 is well.", "# TYPE axiom_bench_exit_code gauge",
            "axiom_bench_exit_code \(report.exitCode)",
            "# HELP axiom_bench_run_seconds How long the run took.", "# TYPE axiom_bench_run_seconds gauge",
            "axiom_bench_run_seconds \(report.seconds)",
            "# HELP axiom_bench_run_processor_seconds The time of processors that the run took.",
            "# TYPE axiom_bench_run_processor_seconds gauge",
            "axiom_bench_run_processor_seconds \(report.processorSeconds)",
        ]
        return lines.joined(separator: "\n") + "\n"
    }

    private static func changes(_ report: Report) -> [String] {
        let findings = report.findings.filter { $0.change != nil }
        guard !findings.isEmpty else { return [] }
        var lines = [
            "# HELP axiom_bench_change_ratio The relative change for the worse against the baseline.",
            "# TYPE axiom_bench_change_ratio gauge",
        ]
        for finding in findings {
            let labels = [
                ("benchmark", finding.benchmark), ("metric", finding.metric), ("verdict", finding.verdict.reportName),
            ]
            lines.append("axiom_bench_change_ratio\(text(labels)) \(finding.change ?? 0)")
        }
        return lines
    }

    private static func text(_ labels: [(String, String)]) -> String {
        "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ value: String) -> String {
        value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
    }
}

/// What got worse or has no verdict, at the declarations of the benchmarks.
enum Annotations {
    private struct Issue: Encodable {
        struct Location: Encodable { let path: String, lines: [String: Int] }
        let description: String
        let checkName = "axiom-bench"
        let fingerprint: String
        let severity: String
        let location: Location
    }

    /// Commands of a workflow of GitHub Actions, escaped as its toolkit does.
    static func github(_ report: Report) -> String {
        findings(report).map { finding, isError in
            var properties = ["title=\(escaped("axiom-bench: \(finding.benchmark)", ":,"))"]
            if let file = finding.file {
                properties = ["file=\(escaped(relative(file), ":,"))", "line=\(finding.line ?? 1)"] + properties
            }
            let message = escaped("\(finding.benchmark) \(finding.metric): \(JUnitReport.words(finding))")
            return "::\(isError ? "error" : "warning") \(properties.joined(separator: ","))::\(message)\n"
        }.joined()
    }

    /// A report of code quality of GitLab.
    static func codeQuality(_ report: Report) -> String {
        let issues = findings(report).map { finding, isError in
            Issue(
                description: "\(finding.benchmark) \(finding.metric): \(JUnitReport.words(finding))",
                fingerprint: "axiom-bench/\(finding.benchmark)/\(finding.metric)",
                severity: isError ? "major" : "info",
                location: .init(
                    path: finding.file.map(relative) ?? "Package.swift",
                    lines: ["begin": finding.line ?? 1]
                )
            )
        }
        return ReportFormat.json(issues)
    }

    /// The errors first: GitHub shows ten of each kind.
    private static func findings(_ report: Report) -> [(Report.FindingReport, isError: Bool)] {
        [Verdict.Kind.crashed, .regressed, .missed, .removed].flatMap { report.findings($0) }.map { ($0, true) }
            + report.findings(.insufficient).map { ($0, false) }
    }

    private static func relative(_ file: String) -> String {
        let variables = ProcessInfo.processInfo.environment
        let root =
            variables["GITHUB_WORKSPACE"] ?? variables["CI_PROJECT_DIR"] ?? FileManager.default.currentDirectoryPath
        return file.hasPrefix(root + "/") ? String(file.dropFirst(root.count + 1)) : file
    }

    private static func escaped(_ text: String, _ others: String = "") -> String {
        text.unicodeScalars.map { scalar in
            "%\r\n\(others)".unicodeScalars.contains(scalar) ? String(format: "%%%02X", scalar.value) : String(scalar)
        }.joined()
    }
}
