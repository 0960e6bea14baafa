// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import AxiomVerification
import Foundation
import Testing

@Suite("Fixes")
struct FixEngineTests {
    /// Replaces a word; each word of a file is a finding.
    struct Replacement {
        var word: String
        var new: String
        var safety = Fix.Safety.safe
    }

    static func judge(_ replacements: [Replacement]) -> ([SourceText]) -> ProjectVerdict {
        { files in
            var findings = Findings()
            for file in files {
                for (index, replacement) in replacements.enumerated() {
                    for range in ranges(replacement.word, in: file.bytes) {
                        let edit = Edit(replacing: range, with: replacement.new)
                        findings.add(
                            Finding(
                                rule: RuleID(rawValue: "rule-\(index)"),
                                severity: .error,
                                at: file.span(range),
                                message: "m",
                                identity: "i",
                                fix: Fix("f", edits: [edit], safety: replacement.safety)
                            )
                        )
                    }
                }
            }
            var verdict = ProjectVerdict()
            verdict.findings = findings.sorted()
            return verdict
        }
    }

    static func ranges(_ word: String, in bytes: [UInt8]) -> [Range<Int>] {
        let word = Array(word.utf8)
        return bytes.indices.filter { bytes[$0...].starts(with: word) }.map { $0..<$0 + word.count }
    }

    static func parses(_ file: SourceText) -> Bool {
        FileFacts.read(path: file.path, module: "", bytes: file.bytes).syntaxError == nil
    }

    static func run(
        _ text: String,
        _ replacements: [Replacement],
        includesReview: Bool = false
    ) throws -> FixEngine.Outcome {
        let engine = FixEngine(includesReview: includesReview, judge: judge(replacements), parses: parses)
        return try engine.run([SourceText(path: "a.swift", bytes: Array(text.utf8))])
    }

    private func text(_ outcome: FixEngine.Outcome) -> String? {
        outcome.changes.first.map { String(decoding: $0.new, as: UTF8.self) }
    }

    @Test("Fixes are applied until none is left, and a second run changes nothing")
    func fixpoint() throws {
        let rules = [Replacement(word: "let one", new: "let two"), Replacement(word: "let two", new: "let three")]
        let outcome = try Self.run("let one = 1\nlet x = 1\n", rules)
        #expect(text(outcome) == "let three = 1\nlet x = 1\n")
        #expect(outcome.rounds == 2 && outcome.isStable && outcome.verdict.findings.isEmpty)
        #expect(outcome.applied == ["rule-0": 1, "rule-1": 1])
        let again = try Self.run("let three = 1\nlet x = 1\n", rules)
        #expect(again.changes.isEmpty && again.rounds == 0 && again.isStable)
    }

    @Test("Fixes to review are applied on demand only")
    func review() throws {
        let rules = [Replacement(word: "class", new: "struct", safety: .review)]
        #expect(try Self.run("class A {}", rules).changes.isEmpty)
        #expect(try text(Self.run("class A {}", rules, includesReview: true)) == "struct A {}")
    }

    @Test("Of fixes that touch each other, the first is applied, and the others in the next round")
    func overlapping() throws {
        let rules = [Replacement(word: "a1 + a2", new: "b1 + a2"), Replacement(word: "a2 + a3", new: "a2 + b3")]
        let outcome = try Self.run("let x = a1 + a2 + a3\n", rules)
        #expect(text(outcome) == "let x = b1 + a2 + b3\n")
        #expect(outcome.rounds == 2)
    }

    @Test("A file that would no longer parse is left as it was before all rounds, and said so")
    func broken() throws {
        let rules = [Replacement(word: "let one", new: "let two"), Replacement(word: "let two = 1", new: "let = = {")]
        let outcome = try Self.run("let one = 1\n", rules)
        #expect(outcome.changes.isEmpty && outcome.applied.isEmpty)
        #expect(outcome.refusals.map(\.path) == ["a.swift"])
        #expect(outcome.refusals.first?.reason == "with its fixes it would not parse (rule-1)")
        #expect(outcome.verdict.findings.map(\.rule) == ["rule-0"], "the verdict is that of the file as it is")
    }

    @Test("A file that does not parse is not touched")
    func unparsed() throws {
        let outcome = try Self.run("let one = {\n", [Replacement(word: "one", new: "two")])
        #expect(outcome.changes.isEmpty && outcome.refusals.first?.reason == "it does not parse")
    }

    @Test("Fixes that undo each other are refused, and fixes without an end stop after eight rounds")
    func endless() throws {
        let swap = [Replacement(word: "let one", new: "let two"), Replacement(word: "let two", new: "let one")]
        let outcome = try Self.run("let one = 1\n", swap)
        #expect(outcome.changes.isEmpty && outcome.isStable)
        #expect(outcome.refusals.first?.reason.hasPrefix("its fixes undo each other") == true)

        let growing = try Self.run("let one = 1\n", [Replacement(word: "let one", new: "let x = 0; let one")])
        #expect(growing.rounds == FixEngine.maximumRounds && !growing.isStable)
        #expect(growing.summary().contains("run again"))
    }

    @Test("Bytes outside of edits stay: line ends, byte order marks, comments and conditions", .timeLimit(.minutes(10)))
    func untouched() throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        let rules = [Replacement(word: "oldName", new: "newName"), Replacement(word: "oldLine", new: "first\nsecond")]
        for _ in 0..<60 {
            let pieces = (0..<Int.random(in: 1...30, using: &random)).map { _ in Self.piece(&random) }
            let mark: [UInt8] = Bool.random(using: &random) ? [0xEF, 0xBB, 0xBF] : []
            let joint = ["\n", "\r\n"].randomElement(using: &random) ?? "\n"
            let bytes = mark + Array(pieces.map { $0 + joint }.joined().utf8)
            let engine = FixEngine(includesReview: false, judge: Self.judge(rules), parses: Self.parses)
            let outcome = try engine.run([SourceText(path: "a.swift", bytes: bytes)])
            // New text has the ends of the first line.
            let first = bytes.firstIndex(of: UInt8(ascii: "\n")) ?? 0
            let end = first > 0 && bytes[first - 1] == UInt8(ascii: "\r") ? "\r\n" : "\n"
            let expected = Self.replacing(
                "oldLine",
                "first\(end)second",
                in: Self.replacing("oldName", "newName", in: bytes)
            )
            #expect((outcome.changes.first?.new ?? bytes) == expected)
            #expect(outcome.refusals.isEmpty)
            let again = try engine.run([SourceText(path: "a.swift", bytes: expected)])
            #expect(again.changes.isEmpty)
        }
    }

    /// Lines that parse in any order.
    private static func piece(_ random: inout SplitMix64) -> String {
        let pieces = [
            "/* a comment with 🍵 */ let x = oldName", "#if DEBUG && !os(Linux)\nfunc f() { oldName() }\n#endif",
            "// oldName in a comment", "\tlet y  =  \"\u{e9}e\u{301}\"   ", "", "/*\r\n oldLine */",
            "let z = \"\"\"\n    oldName\n    \"\"\"",
        ]
        return pieces.randomElement(using: &random) ?? ""
    }

    private static func replacing(_ word: String, _ new: String, in bytes: [UInt8]) -> [UInt8] {
        var list = EditList()
        for range in ranges(word, in: bytes) { list.add([Edit(replacing: range, with: new)], to: bytes.count) }
        return list.applied(to: bytes)
    }

    @Test("Files are written whole, with their mode; one that changed in the meantime is left as it is")
    func writing() throws {
        let folder = try SampleFolder(["a.swift": "let one = 1\n", "b.swift": "let one = 1\n"])
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.path("a.swift"))
        let files = try ["a.swift", "b.swift"].map { SourceText(path: $0, bytes: Array(try folder.read($0).utf8)) }
        let engine = FixEngine(
            includesReview: false,
            judge: Self.judge([Replacement(word: "one", new: "two")]),
            parses: Self.parses
        )
        let outcome = try engine.run(files)
        try folder.write("let one = 5\n", to: "b.swift")
        let refusals = outcome.write(root: folder.root)
        #expect(try folder.read("a.swift") == "let two = 1\n")
        #expect(try folder.read("b.swift") == "let one = 5\n")
        #expect(refusals.map(\.path) == ["b.swift"])
        let mode = try FileManager.default.attributesOfItem(atPath: folder.path("a.swift"))[.posixPermissions] as? Int
        #expect(mode == 0o640)
        #expect(try folder.names == ["a.swift", "b.swift"])
    }

    @Test(
        "A file that a link leads to out of the project is judged, but not written, whether the link is it or above it"
    )
    func links() throws {
        let (other, folder) = (
            try SampleFolder(["one.swift": "let one = 1\n", "two.swift": "let one = 1\n"]), try SampleFolder()
        )
        try folder.write("let one = 1\n", to: "Real/own.swift")
        let links = [("file.swift", other.path("one.swift")), ("Linked", other.root), ("Inner", folder.path("Real"))]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: folder.path(name), withDestinationPath: target)
        }
        let paths = ["file.swift", "Linked/two.swift", "Inner/own.swift"]
        let files = paths.map { SourceText(path: $0, bytes: Array("let one = 1\n".utf8)) }
        let judge = Self.judge([Replacement(word: "one", new: "two")])
        let outcome = try FixEngine(includesReview: false, judge: judge, parses: Self.parses).run(files)
        let refusals = outcome.write(root: folder.root)
        #expect(Set(refusals.map(\.path)) == ["file.swift", "Linked/two.swift"])
        #expect(refusals.allSatisfy { $0.reason.contains("outside of the project") })
        #expect(try other.read("one.swift") == "let one = 1\n" && other.read("two.swift") == "let one = 1\n")
        #expect(try folder.read("Real/own.swift") == "let two = 1\n")
    }
}
