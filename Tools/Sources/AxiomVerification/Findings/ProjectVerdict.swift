// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// What a run found. Reporters print it.
package struct ProjectVerdict: Sendable {
    /// A finding that a comment in the source or the baseline accepts.
    package struct Accepted: Sendable, Hashable {
        package enum Source: String, Sendable, Hashable {
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
    package struct UnreadableFile: Sendable, Hashable {
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
    /// The file with the entries.
    package var baselinePath = "axiom-verify.baseline.json"
    /// How many files were judged.
    package var fileCount = 0
    /// The files by path, so that a reporter can show lines. Only files with findings are needed.
    package var files: [String: SourceText] = [:]
    /// The numbers of each file, in order of the paths.
    package var metrics: [FileMetrics] = []
    /// The rules that ran, in order of their names.
    package var rules: [Rule] = []

    package init() {}

    /// Keeps those of the files that a report shows. The fixes of findings get the line ends of their file, so that reports
    /// have the edits that `--fix` makes.
    package mutating func show(_ all: [SourceText]) {
        var shown = Set(unreadableFiles.map(\.location.path))
        for finding in findings + accepted.map(\.finding) {
            shown.insert(finding.location.path)
            shown.formUnion(finding.notes.map(\.location.path))
        }
        for file in all where shown.contains(file.path) { files[file.path] = file }
        for index in findings.indices { Self.adapt(&findings[index], to: files) }
        for index in accepted.indices { Self.adapt(&accepted[index].finding, to: files) }
    }

    private static func adapt(_ finding: inout Finding, to files: [String: SourceText]) {
        guard let fix = finding.fix, let file = files[finding.location.path] else { return }
        finding.fix?.edits = fix.edits.map { $0.withLineEnds(of: file) }
    }

    /// The verdict with other paths, such as those that a repository has for the files.
    package func moved(_ path: (String) -> String) -> ProjectVerdict {
        func move(_ finding: inout Finding) {
            finding.location.path = path(finding.location.path)
            for index in finding.notes.indices {
                finding.notes[index].location.path = path(finding.notes[index].location.path)
            }
        }
        var result = self
        for index in result.findings.indices { move(&result.findings[index]) }
        for index in result.accepted.indices { move(&result.accepted[index].finding) }
        for index in result.unreadableFiles.indices {
            result.unreadableFiles[index].location.path = path(result.unreadableFiles[index].location.path)
        }
        for index in result.metrics.indices { result.metrics[index].path = path(result.metrics[index].path) }
        result.baselinePath = path(baselinePath)
        result.files = Dictionary(
            files.values.map { (path($0.path), SourceText(path: path($0.path), bytes: $0.bytes)) }
        ) { first, _ in first }
        return result
    }

    /// 0 clean, 1 findings, 3 files that do not parse, 4 a stale baseline. 2, a wrong command line, is decided before.
    package var exitCode: Int32 {
        if !unreadableFiles.isEmpty { return 3 }
        if findings.contains(where: { $0.severity != .information }) { return 1 }
        return staleEntries.isEmpty ? 0 : 4
    }
}

/// The numbers of one file.
package struct FileMetrics: Sendable, Hashable {
    package var path: String
    /// Capabilities, clients, contexts and presentations.
    package var componentCount: Int
    /// The components of the longest chain of dependencies that begins in the file, 0 without components.
    package var dependencyDepth: Int
    /// The share of the file's components without an error, 0 to 1; 1 without components.
    package var compliance: Double

    /// The components without an error.
    package var soundCount: Int { Int((compliance * Double(componentCount)).rounded()) }
}
