// SPDX-License-Identifier: Apache-2.0

package import AxiomSyntax

/// Applies the fixes of findings until nothing changes any more.
///
/// Each round judges the files and edits their bytes; bytes outside of the edits stay as they are. Of fixes that touch each
/// other, the first is applied, and the next round sees the rest. A file that would no longer parse, or that would change
/// back and forth, is left as it was before the first round.
package struct FixEngine {
    /// What became of the files.
    package struct Outcome: Sendable {
        /// A file that changed.
        package struct Change: Sendable, Hashable {
            package var path: String
            package var old: [UInt8]
            package var new: [UInt8]

            package var diff: UnifiedDiff { UnifiedDiff(path: path, from: old, to: new) }
        }

        /// A file that no fix may change.
        package struct Refusal: Sendable, Hashable {
            package var path: String
            package var reason: String
        }

        /// In order of paths.
        package var changes: [Change] = []
        package var refusals: [Refusal] = []
        /// How many fixes were applied, by rule.
        package var applied: [RuleID: Int] = [:]
        /// How many rounds changed something.
        package var rounds = 0
        /// Whether the last round found nothing more to change.
        package var isStable = false
        /// The verdict on the files as they are now.
        package var verdict: ProjectVerdict
    }

    package static let maximumRounds = 8
    /// Whether fixes are applied that a person should read.
    package var includesReview: Bool
    /// Judges all files of the project.
    package var judge: ([SourceText]) throws -> ProjectVerdict
    /// Whether a file parses without an error.
    package var parses: (SourceText) -> Bool

    package init(
        includesReview: Bool,
        judge: @escaping ([SourceText]) throws -> ProjectVerdict,
        parses: @escaping (SourceText) -> Bool
    ) {
        self.includesReview = includesReview
        self.judge = judge
        self.parses = parses
    }

    package func run(_ originals: [SourceText]) throws -> Outcome {
        var files = originals.map { FileUnderRepair($0) }
        var outcome = Outcome(verdict: try judge(originals))
        while repair(&files, outcome.verdict) {
            outcome.rounds += 1
            outcome.verdict = try judge(files.map(\.text))
            if outcome.rounds == Self.maximumRounds { break }
        }
        var next = files
        outcome.isStable = !repair(&next, outcome.verdict)
        files.sort { $0.original.path < $1.original.path }
        for file in files {
            let path = file.original.path
            if let reason = file.refusal { outcome.refusals.append(.init(path: path, reason: reason)) }
            guard file.text.bytes != file.original.bytes else { continue }
            outcome.changes.append(.init(path: path, old: file.original.bytes, new: file.text.bytes))
            for rule in file.applied { outcome.applied[rule, default: 0] += 1 }
        }
        return outcome
    }

    /// Applies the fixes of a verdict once.
    ///
    /// - Returns: Whether a file changed.
    private func repair(_ files: inout [FileUnderRepair], _ verdict: ProjectVerdict) -> Bool {
        let mended = verdict.findings.filter { $0.fix.map { includesReview || $0.safety == .safe } ?? false }
        let findings = Dictionary(grouping: mended, by: \.location.path)
        var hasChanged = false
        for index in files.indices {
            guard let findings = findings[files[index].original.path] else { continue }
            if files[index].repair(findings, parses: parses) { hasChanged = true }
        }
        return hasChanged
    }
}

/// A file, and what fixes made of it.
private struct FileUnderRepair {
    let original: SourceText
    private(set) var text: SourceText
    /// The rules whose fixes were applied.
    private(set) var applied: [RuleID] = []
    /// Why the file is as it was before the first round.
    private(set) var refusal: String?
    /// The contents of earlier rounds.
    private var seen: Set<ContentHash>

    init(_ original: SourceText) {
        self.original = original
        text = original
        seen = [ContentHash(of: original.bytes)]
    }

    /// Applies the fixes of the findings that do not touch each other.
    ///
    /// - Returns: Whether the text changed.
    mutating func repair(_ findings: [Finding], parses: (SourceText) -> Bool) -> Bool {
        guard refusal == nil else { return false }
        var list = EditList()
        var rules: [RuleID] = []
        for finding in findings {
            let edits = (finding.fix?.edits ?? []).map { $0.withLineEnds(of: text) }
            if list.add(edits, to: text.bytes.count) { rules.append(finding.rule) }
        }
        let new = SourceText(path: text.path, bytes: list.applied(to: text.bytes))
        guard new.bytes != text.bytes else { return false }
        guard parses(new) else {
            return refuse(
                parses(text) ? "with its fixes it would not parse (\(Self.names(rules)))" : "it does not parse"
            )
        }
        guard seen.insert(ContentHash(of: new.bytes)).inserted else {
            return refuse("its fixes undo each other (\(Self.names(rules)))")
        }
        text = new
        applied += rules
        return true
    }

    private mutating func refuse(_ reason: String) -> Bool {
        refusal = reason
        let hasChanged = text.bytes != original.bytes
        text = original
        applied = []
        return hasChanged
    }

    private static func names(_ rules: [RuleID]) -> String {
        Set(rules.map(\.rawValue)).sorted().joined(separator: ", ")
    }
}
