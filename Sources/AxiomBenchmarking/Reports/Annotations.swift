// SPDX-License-Identifier: Apache-2.0

internal import AxiomStatistics
internal import Foundation

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
