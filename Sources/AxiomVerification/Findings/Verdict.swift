// SPDX-License-Identifier: Apache-2.0

#if Tools
package import AxiomSyntax

/// What a run found. Reporters print it.
package struct Verdict: Sendable {
    /// A finding that a comment in the source or the baseline accepts.
    package struct Accepted: Sendable, Hashable, Codable {
        package enum Source: String, Sendable, Hashable, Codable {
            case comment, baseline
        }

        package var finding: Finding
        package var source: Source
        package var reason: String

        package init(_ finding: Finding, by source: Source, because reason: String) {
            self.finding = finding
            self.source = source
            self.reason = reason
        }
    }

    /// A file that is not Swift, or that cannot be read.
    package struct UnreadableFile: Sendable, Hashable, Codable {
        /// The place of the first error; the start of the file if it could not be read.
        package var location: SourceSpan
        package var message: String

        package init(at location: SourceSpan, message: String) {
            self.location = location
            self.message = message
        }
    }

    /// An entry of the baseline that no finding matches any more.
    package struct StaleEntry: Sendable, Hashable {
        package var rule: RuleID
        package var identity: String

        package init(rule: RuleID, identity: String) {
            self.rule = rule
            self.identity = identity
        }
    }

    /// Findings that count, in order of path, place and rule.
    package var findings: [Finding] = []
    package var accepted: [Accepted] = []
    package var unreadableFiles: [UnreadableFile] = []
    package var staleEntries: [StaleEntry] = []
    /// How many files were judged.
    package var fileCount = 0
    /// The files by path, so that a reporter can show lines. Only files with findings are needed.
    package var files: [String: SourceText] = [:]
    /// The numbers of each file, in order of the paths.
    package var metrics: [FileMetrics] = []
    /// The rules that ran, in order of their names.
    package var rules: [Rule] = []

    package init() {}

    /// 0 clean, 1 findings, 3 files that do not parse, 4 a stale baseline. 2, a wrong command line, is decided before.
    package var exitCode: Int32 {
        if !unreadableFiles.isEmpty { return 3 }
        if findings.contains(where: { $0.severity != .information }) { return 1 }
        return staleEntries.isEmpty ? 0 : 4
    }
}
#endif
