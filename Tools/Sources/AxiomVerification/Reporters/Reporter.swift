// SPDX-License-Identifier: Apache-2.0

/// Writes a verdict for people or for a program.
package protocol Reporter: Sendable {
    /// Writes the whole report, which ends with a line feed unless it is empty. Equal verdicts give equal bytes.
    func report(_ verdict: ProjectVerdict, to output: inout some TextOutputStream)
}

extension Reporter {
    package func text(_ verdict: ProjectVerdict) -> String {
        var text = ""
        report(verdict, to: &text)
        return text
    }
}

/// The formats of reports. The names are those of `--format`.
package enum FindingFormat: String, Sendable, Hashable, CaseIterable {
    /// For people: lines of the source with carets, notes, and fixes as diffs.
    case text
    /// Annotations of GitHub Actions.
    case github
    /// Test cases for continuous integration.
    case junit
    /// SARIF 2.1.0, for code scanning.
    case sarif
    /// Documentation/schemas/axiom-verify-report-1.schema.json.
    case json
    /// For programs that write code: one finding a line, with the lines that mend it.
    case agent

    /// Whether paths are those of the repository, because the reader knows nothing of the root of the run.
    package var namesRepository: Bool { self == .github || self == .sarif }

    /// - Parameter isColored: Whether text has colors. Other formats have none.
    package func reporter(isColored: Bool = false) -> any Reporter {
        switch self {
        case .text: TextReporter(isColored: isColored)
        case .github: GitHubReporter()
        case .junit: JUnitReporter()
        case .sarif: SARIFReporter()
        case .json: JSONReporter()
        case .agent: AgentReporter()
        }
    }
}

/// What all reports say in the same words.
enum ReportWords {
    static let tool = "axiom-verify"

    static func count(_ count: Int, _ noun: String) -> String {
        "\(count) \(noun)\(count == 1 ? "" : "s")"
    }

    static func stale(_ entry: ProjectVerdict.StaleEntry, _ baseline: String) -> String {
        let option = baseline == ProjectVerdict().baselinePath ? "" : " --baseline \(baseline)"
        return "The baseline accepts \(entry.rule.rawValue) for \(entry.identity), which no finding matches any more. "
            + "Run `axiom-verify freeze\(option)`, which removes the entry."
    }

    /// One line about all of the verdict.
    static func summary(_ verdict: ProjectVerdict) -> String {
        guard !verdict.findings.isEmpty || !verdict.unreadableFiles.isEmpty || !verdict.staleEntries.isEmpty else {
            return "No findings in \(count(verdict.fileCount, "file"))\(accepted(verdict))."
        }
        let numbers: [(Int, String)] = [
            (verdict.findings.count { $0.severity == .error }, "error"),
            (verdict.findings.count { $0.severity == .warning }, "warning"),
            (verdict.findings.count { $0.severity == .information }, "remark"),
            (verdict.unreadableFiles.count, "unreadable file"),
        ]
        var parts = numbers.filter { $0.0 > 0 }.map { count($0.0, $0.1) }
        let stale = verdict.staleEntries.count
        if stale > 0 { parts.append("\(stale) stale \(stale == 1 ? "entry" : "entries") of the baseline") }
        return parts.joined(separator: ", ") + " in \(count(verdict.fileCount, "file"))\(accepted(verdict))."
    }

    private static func accepted(_ verdict: ProjectVerdict) -> String {
        verdict.accepted.isEmpty ? "" : " (\(verdict.accepted.count) accepted)"
    }
}
