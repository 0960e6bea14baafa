// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

/// A bad twin of ``TwinProgram``: one line is another one. `⟦` marks the place of the one expected finding, in the new line
/// or in ``mark``, another line of the program.
struct Twin: Sendable, CustomTestStringConvertible {
    let rule: RuleID
    /// The line of the program without its indentation.
    let line: String
    let bad: String
    /// A line of the program with `⟦`, if the finding is in another line than the bad one.
    var mark: String?
    /// Whether the finding has a fix.
    var isFixable = false
    var severity: Severity = .error
    /// The whole program, if it is another one.
    var program = TwinProgram.text

    var testDescription: String { "\(rule.rawValue): \(bad)" }

    /// The bad program with the marker.
    func marked() throws -> String {
        var text = try program.replacingOnce("\(line)\n", with: "\(bad)\n")
        if let mark { text = try text.replacingOnce(mark.filter { $0 != "⟦" }, with: mark) }
        return text
    }
}

extension Twin {
    /// Whether the good and the bad program have the same lines but one.
    var differsInOneLine: Bool {
        get throws {
            let good = program.split(separator: "\n", omittingEmptySubsequences: false)
            let bad = try marked().filter { $0 != "⟦" }.split(separator: "\n", omittingEmptySubsequences: false)
            return good.count == bad.count && zip(good, bad).count { $0 != $1 } == 1
        }
    }
}

struct TwinError: Error, CustomStringConvertible {
    let description: String
}

extension String {
    func replacingOnce(_ old: String, with new: String) throws -> String {
        let ranges = ranges(of: old)
        guard ranges.count == 1, let range = ranges.first else {
            throw TwinError(description: "There are \(ranges.count) places with \"\(old)\".")
        }
        return replacingCharacters(in: range, with: new)
    }

    private func replacingCharacters(in range: Range<String.Index>, with new: String) -> String {
        String(self[..<range.lowerBound]) + new + String(self[range.upperBound...])
    }

    /// The text after edits in ascending order.
    func applying(_ edits: [Edit]) -> String {
        var bytes = Array(utf8)
        for edit in edits.reversed() { bytes.replaceSubrange(edit.range, with: Array(edit.replacement.utf8)) }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// Judges one text, as a file of the module Shop.
func judge(_ text: String, _ configuration: VerifierConfiguration = VerifierConfiguration()) -> ProjectVerdict {
    let path = "Sources/Shop/Shop.swift"
    return Verifier(configuration).judge([FileFacts.read(path: path, module: "Shop", bytes: Array(text.utf8))])
}

/// Checks that a bad twin has its finding alone, at its place, and that the fix mends it.
func check(_ twin: Twin, _ configuration: VerifierConfiguration = VerifierConfiguration()) throws {
    let marked = try twin.marked()
    let parts = marked.split(separator: "⟦", omittingEmptySubsequences: false)
    try #require(parts.count == 2, "One place is marked.")
    let text = parts.joined()
    let verdict = judge(text, configuration)
    #expect(verdict.unreadableFiles.isEmpty)
    let found = verdict.findings.map {
        "\($0.location.start.line):\($0.location.start.column) \($0.rule.rawValue) \($0.message)"
    }
    try #require(verdict.findings.count == 1, "\(found)")
    let finding = verdict.findings[0]
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let place = SourceSpan.Position(line: lines.count, column: (lines.last?.utf8.count ?? 0) + 1)
    #expect(finding.rule == twin.rule)
    #expect(finding.location.start == place)
    #expect(finding.severity == twin.severity)
    #expect((finding.fix != nil) == twin.isFixable)
    guard let fix = finding.fix else { return }
    let fixed = judge(text.applying(fix.edits), configuration)
    #expect(fixed.unreadableFiles.isEmpty)
    #expect(!fixed.findings.contains { $0.rule == twin.rule }, "\(text.applying(fix.edits))")
}
