// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

/// The fixes of the rules, in files of many forms.
@Suite("Fixes of the rules", .timeLimit(.minutes(10)))
struct RuleFixTests {
    /// What the engine judged, round by round.
    private final class Rounds {
        var texts: [[UInt8]] = []
        var edits: [[Edit]] = []
    }

    @Test("Fixes change nothing outside of their edits, and a second run changes nothing (5.B.15)")
    func untouched() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        try #require(Self.twins.count > 10)
        for twin in Self.twins {
            let text = try twin.marked().filter { $0 != "⟦" }
            for _ in 0..<4 {
                let bytes = Self.dressed(text, &random)
                let (outcome, rounds) = try run(bytes, rule: twin.rule)
                #expect(outcome.refusals.isEmpty && outcome.isStable, "\(outcome.summary())")
                #expect(outcome.applied[twin.rule, default: 0] > 0, "\(twin)")
                let new = try #require(outcome.changes.first?.new)
                for index in rounds.texts.indices.dropLast() {
                    let next = rounds.texts[index + 1]
                    #expect(Self.keeps(rounds.texts[index], outside: rounds.edits[index], in: next), "\(twin)")
                }
                #expect(Self.lineEnds(new) == Self.lineEnds(bytes), "\(twin)")
                #expect(new.starts(with: Self.mark) == bytes.starts(with: Self.mark))
                #expect(try run(new, rule: twin.rule).0.changes.isEmpty, "\(twin)")
            }
        }
    }

    private static let twins = (RuleTwinTests.twins + RuleTwinTests.offTwins).filter(\.isFixable)

    /// A run in which the rule is on.
    private static func project(_ rule: RuleID) -> ProjectRun {
        var configuration = Configuration()
        if RuleTwinTests.offTwins.contains(where: { $0.rule == rule }) { configuration.rules[rule.rawValue] = .on }
        return ProjectRun(configuration)
    }

    private func run(_ bytes: [UInt8], rule: RuleID) throws -> (FixEngine.Outcome, Rounds) {
        let (run, rounds) = (Self.project(rule), Rounds())
        let engine = FixEngine(
            includesReview: true,
            judge: { files in
                let verdict = run.judge(files)
                rounds.texts.append(files[0].bytes)
                rounds.edits.append(verdict.findings.compactMap(\.fix).flatMap(\.edits))
                return verdict
            },
            parses: FixEngineTests.parses
        )
        return (try engine.run([SourceText(path: "Sources/Shop/Shop.swift", bytes: bytes)]), rounds)
    }

    /// What a line of the format `agent` has behind FIX.
    private struct Replacements: Decodable {
        struct Lines: Decodable {
            /// The first and the last one, counted from 1; the line before an insertion.
            var lines: [Int]
            var old: String
            var new: String
        }

        var replace: [Lines]

        init(_ report: String, _ rule: RuleID) throws {
            let line = report.split(separator: "\n").first { $0.contains("[\(rule.rawValue)]") && $0.contains(" FIX ") }
            let found = try #require(line)
            let start = try #require(found.firstRange(of: "{\"title\"")).lowerBound
            self = try JSONDecoder().decode(Self.self, from: Data(found[start...].utf8))
        }

        /// The bytes with other lines; nil if the old ones do not stand there.
        func applied(to bytes: [UInt8]) -> [UInt8]? {
            var lines = bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) + [0x0A] }
            lines[lines.count - 1].removeLast()
            for part in replace.reversed() {
                let range = part.old.isEmpty ? part.lines[0]..<part.lines[0] : (part.lines[0] - 1)..<part.lines[1]
                guard Array(lines[range].joined()) == Array(part.old.utf8) else { return nil }
                lines.replaceSubrange(range, with: [Array(part.new.utf8)])
            }
            return Array(lines.joined())
        }
    }

    @Test("The lines that the format agent replaces make what --fix makes, line ends included (5.B.9)")
    func agent() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        for twin in Self.twins {
            let marked = try twin.marked().filter { $0 != "⟦" }
            for _ in 0..<2 {
                let file = SourceText(path: "Sources/Shop/Shop.swift", bytes: Self.dressed(marked, &random))
                let verdict = Self.project(twin.rule).judge([file])
                let fix = try #require(verdict.findings.first { $0.rule == twin.rule && $0.fix != nil }?.fix)
                var list = EditList()
                list.add(fix.edits.map { $0.withLineEnds(of: file) }, to: file.bytes.count)
                let replacements = try Replacements(AgentReporter().text(verdict), twin.rule)
                #expect(replacements.applied(to: file.bytes) == list.applied(to: file.bytes), "\(twin)")
                #expect(fix.edits == list.edits, "SARIF and JSON have these edits: \(twin)")
            }
        }
    }

    private static let mark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The text with comments, conditions and blanks between its declarations, one kind of line ends, and perhaps a byte order
    /// mark.
    private static func dressed(_ text: String, _ random: inout SplitMix64) -> [UInt8] {
        let additions = [
            "// A comment with 🍵 and e\u{301}.", "/* A comment\n   of two lines. */", "\t ", "   // axiom",
            "#if DEBUG && !os(Linux)\n#warning(\"never\")\n#endif",
        ]
        var lines: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            lines.append(String(line))
            guard line.isEmpty, Bool.random(using: &random) else { continue }
            lines.append(additions.randomElement(using: &random) ?? "")
        }
        let body = Array(lines.joined(separator: "\n").utf8)
        let end: [UInt8] = Bool.random(using: &random) ? [0x0D, 0x0A] : [0x0A]
        return (Bool.random(using: &random) ? mark : []) + body.flatMap { $0 == 0x0A ? end : [$0] }
    }

    /// Whether the bytes outside of the edits stand in `new` in their order, the first ones at its start and the last ones at
    /// its end.
    private static func keeps(_ old: [UInt8], outside edits: [Edit], in new: [UInt8]) -> Bool {
        var pieces: [ArraySlice<UInt8>] = []
        var start = 0
        for range in edits.map(\.range).sorted(by: { $0.lowerBound < $1.lowerBound }) {
            pieces.append(old[start..<max(start, range.lowerBound)])
            start = max(start, range.upperBound)
        }
        let last = old[start...]
        guard let first = pieces.first else { return new == old }
        guard new.starts(with: first), new.count >= first.count + last.count, new.suffix(last.count) == last else {
            return false
        }
        var rest = new[first.count..<(new.count - last.count)]
        for piece in pieces.dropFirst() where !piece.isEmpty {
            guard let place = rest.indices.first(where: { rest[$0...].starts(with: piece) }) else { return false }
            rest = rest[(place + piece.count)...]
        }
        return true
    }

    /// Whether there are line ends `\n` and `\r\n`.
    private static func lineEnds(_ bytes: [UInt8]) -> Set<String> {
        Set(
            bytes.indices.filter { bytes[$0] == 0x0A }.map { $0 > 0 && bytes[$0 - 1] == 0x0D ? "CRLF" : "LF" }
        )
    }
}
