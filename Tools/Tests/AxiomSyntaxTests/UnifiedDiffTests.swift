// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomTestSupport
import Foundation
import Testing

@Suite("Differences of texts and lists of edits")
struct UnifiedDiffTests {
    private func diff(_ old: String, _ new: String, context: Int = 3) -> UnifiedDiff {
        UnifiedDiff(path: "a.swift", from: Array(old.utf8), to: Array(new.utf8), context: context)
    }

    @Test("A change has the form of diff -u, with context around it")
    func change() {
        let expected = """
            --- a/a.swift
            +++ b/a.swift
            @@ -1,4 +1,5 @@
             one
            -two
            +TWO
            +more
             three
             four

            """
        #expect(diff("one\ntwo\nthree\nfour\n", "one\nTWO\nmore\nthree\nfour\n").text == expected)
    }

    @Test("A missing line feed at the end is said, and equal texts have no diff")
    func end() {
        #expect(
            diff("a\nb", "a\nb\n").text
                == "--- a/a.swift\n+++ b/a.swift\n@@ -1,2 +1,2 @@\n a\n-b\n\\ No newline at end of file\n+b\n"
        )
        #expect(diff("a\r\n", "a\r\n").text.isEmpty)
        #expect(diff("a\r\n", "a\n").hunks.count == 1)
    }

    @Test("Texts that are equal as strings and differ in bytes have a diff")
    func normalization() {
        #expect(diff("\u{e9}\n", "e\u{301}\n").hunks.count == 1)
    }

    @Test("An insertion names the line after which it stands")
    func insertion() {
        let hunk = diff("a\nb\n", "a\nx\nb\n", context: 0).hunks.first
        #expect(hunk?.oldStart == 1 && hunk?.oldLines == [] && hunk?.newLines == ["x\n"] && hunk?.newStart == 2)
        #expect(diff("", "x\n").text.contains("@@ -0,0 +1,1 @@"))
    }

    @Test(
        "patch makes the new text of the old one and the diff",
        .enabled(if: patch.mayRun, Comment(rawValue: patch.installation)),
        .timeLimit(.minutes(10))
    )
    func patched() async throws {
        var random = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<20 {
            let old = Self.text(&random)
            let new = Bool.random(using: &random) ? Self.mutated(old, &random) : Self.text(&random)
            let difference = UnifiedDiff(path: "a.swift", from: old, to: new)
            guard !difference.hunks.isEmpty else { continue }
            let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-diff-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            defer { try? FileManager.default.removeItem(at: folder) }
            let file = folder.appending(path: "a.swift")
            try Data(old).write(to: file)
            let result = try await Self.patch.run(
                ["-p1", "--binary", "-s", "-d", folder.path],
                input: Data(difference.text.utf8)
            )
            #expect(result.status == 0, "\(result.output)\(difference.text)")
            #expect(Array(try Data(contentsOf: file)) == new)
        }
    }

    private static let patch = ExternalTool(
        installation: "patch is missing: apt-get install patch",
        path: ExternalTool.find("patch")
    )

    /// Lines that end with LF: patch knows no others.
    private static func text(_ random: inout SplitMix64) -> [UInt8] {
        let lines = (0..<Int.random(in: 1...40, using: &random)).map { _ in
            ["{", "}", "let a = 1", "// é", "", "let b = 2\r"].randomElement(using: &random) ?? ""
        }
        return Array((lines.joined(separator: "\n") + (Bool.random(using: &random) ? "\n" : "x")).utf8)
    }

    private static func mutated(_ text: [UInt8], _ random: inout SplitMix64) -> [UInt8] {
        var text = text
        for _ in 0..<3 {
            let index = Int.random(in: 0..<text.count, using: &random)
            text.insert(contentsOf: Array("mutated\n".utf8), at: index)
        }
        return String(decoding: text, as: UTF8.self).utf8.elementsEqual(text) ? text : Array("mutated\n".utf8)
    }
}

@Suite("Lists of edits")
struct EditListTests {
    @Test("Edits are applied from the first to the last, whatever the order in which they came")
    func order() {
        var list = EditList()
        list.add([Edit(replacing: 4..<5, with: "X"), Edit(replacing: 0..<1, with: "")], to: 6)
        list.add([Edit(replacing: 2..<2, with: "++")], to: 6)
        #expect(String(decoding: list.applied(to: Array("abcdef".utf8)), as: UTF8.self) == "b++cdXf")
    }

    @Test("A change that touches another one is left out as a whole")
    func overlap() {
        var list = EditList()
        list.add([Edit(replacing: 2..<4, with: "x")], to: 10)
        for range in [3..<5, 1..<3, 2..<2, 2..<4, 0..<10] {
            let wasAdded = list.add([Edit(replacing: 8..<9, with: "y"), Edit(replacing: range, with: "z")], to: 10)
            #expect(!wasAdded, "\(range)")
        }
        #expect(list.edits.count == 1)
        let wasAdded = list.add([Edit(replacing: 4..<5, with: "y"), Edit(replacing: 1..<2, with: "y")], to: 10)
        #expect(wasAdded)
    }

    @Test("The same change twice is done once, and one outside of the file is refused")
    func twice() {
        var list = EditList()
        let edit = Edit(replacing: 0..<0, with: "final ")
        let added = [[edit], [edit], [Edit(replacing: 2..<4, with: "")], [Edit(replacing: -1..<1, with: "")]]
            .map { list.add($0, to: 3) }
        #expect(added == [true, true, false, false])
        #expect(list.edits == [edit])
    }
}
