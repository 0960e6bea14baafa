// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Foundation
import Testing

/// Code that a program wrote, with more levels than a stack has room for.
@Suite("Deep code", .timeLimit(.minutes(10)))
struct DeepCodeTests {
    private static func code(_ head: String, _ part: String, _ count: Int, _ tail: String = "") -> String {
        head + String(repeating: part, count: count) + tail
    }

    private static let deepCode = [
        code("let a = x", ".b()", 50_000), code("func f() { if a {}", " else if a {}", 30_000, " }"),
        code("", "struct A {", 20_000, String(repeating: "}", count: 20_000)),
        code("import Axiom\n", "actor C: Capability {", 20_000, String(repeating: "}", count: 20_000)),
        code("let a = x", "!", 100_000), code("let a: Int", "?", 100_000), code("let a = x", "[0]", 50_000),
        code("let a: ", "A -> ", 50_000, "A"), code("let a: A", ".A", 100_000),
        code("", "#if A\n", 20_000, String(repeating: "#endif\n", count: 20_000)),
        code("func f() { if a {}", " else if a {}", 200_000, " }"),
    ]

    @Test("Code that is nested too deeply is unreadable, and no crash", arguments: deepCode)
    func tooDeep(text: String) {
        let verdict = judge(text)
        #expect(verdict.exitCode == 3)
        #expect(verdict.unreadableFiles.allSatisfy { $0.message.hasPrefix("The ") }, "\(text.prefix(40))")
    }

    @Test("Imports are read beside such code, or the file is named, and no crash", arguments: deepCode)
    func imports(text: String) throws {
        let folder = try SampleFolder(["A.swift": "import Foundation\n" + text])
        let classifier = ImportClassifier(toolchain: ToolchainModules(folder: nil))
        let result = ImportScan(root: URL(filePath: folder.root), classifier: classifier).run()
        #expect(result.fileCount == 1)
        #expect(result.imports.first?.statement.module == "Foundation" || !result.syntaxErrors.isEmpty)
        #expect(ManifestModules.modules(in: Array(text.utf8)).isEmpty)
    }

    /// How many times as long a check of 16 times as much takes: 16 if its cost is linear, 256 if it is quadratic. The limit
    /// is their middle, so that a machine may be four times slower in one measurement. Of each the shortest, in turns, until the
    /// limit holds: a busy machine slows some of eight, a square all.
    private static func checkGrowth(_ text: (_ scale: Int) -> String, _ check: (String) -> Void) {
        let (texts, clock) = ([text(1), text(16)], ContinuousClock())
        var best = [Duration.seconds(3_600), .seconds(3_600)]
        for turn in 0..<8 where turn < 1 || best[1] / best[0] >= 64 {
            for (index, text) in texts.enumerated() {
                best[index] = min(best[index], clock.measure { check(text) })
            }
        }
        let growth = best[1] / best[0]
        #expect(growth < 64, "\(best[0]) became \(best[1]): \(texts[0].prefix(40))")
    }

    @Test(
        "Small files and deep ones below the limit are read, and the time does not grow with the square of the depth",
        arguments: [
            ("let a = x", "!", 2000, ""), ("let a: A", "?", 2000, ""), ("let a = x", "!", 15_000, ""),
            ("let a: A", "?", 15_000, ""), ("let a = x", ".b", 15_000, ""), ("let a = x", ".b()", 1000, ""),
            ("let a = x", ".b()", 8000, ""), ("let a = b", "(1)(2)", 2000, ""),
            ("let a = x", ".map { $0.b }", 2000, ""),
            ("func f() { if a {}", " else if a {}", 3000, " }"),
        ]
    )
    func deep(head: String, part: String, count: Int, tail: String) {
        Self.checkGrowth {
            Self.code(head, part, count * $0 / 16, tail)
        } _: { text in
            #expect(judge(text).exitCode == 0, "\(text.prefix(40))")
        }
    }

    @Test("Roles pass along a chain of protocols in any order, in a time that does not grow with its square")
    func chain() {
        func text(_ count: Int) -> String {
            let names = (0..<count).map { "P\($0)" }
            let chain = zip(names, names.dropFirst()).map { "protocol \($0): \($1) {}" }
            let head = ["import Axiom", "struct Last: P0 { var box: Box }", "final class Box {}"]
            return (head + chain + ["protocol P\(count - 1): OwnedState {}"]).joined(separator: "\n")
        }
        Self.checkGrowth {
            text(125 * $0)
        } _: { text in
            let findings = judge(text).findings
            #expect(findings.contains { $0.rule == "state-reference" && $0.location.start.line == 2 })
        }
    }

    @Test("Findings of types with one name in two modules are different")
    func modules() throws {
        let text = "import Axiom\nclass CartContext: Context {}\n"
        let files = ["Lib", "New"].map {
            FileFacts.read(path: "Sources/\($0)/Cart.swift", module: $0, bytes: Array(text.utf8))
        }
        func verdict(_ facts: FileFacts) -> ProjectVerdict {
            var verdict = Verifier().judge([facts])
            verdict.findings.removeAll { $0.rule != "final-missing" }
            return verdict
        }
        let (old, new) = (verdict(files[0]), verdict(files[1]))
        #expect(old.findings.map(\.identity) == ["Lib.CartContext"])
        let baseline = Baseline().grown(by: old, rules: nil, reason: "old")
        let judged = baseline.judge(new, known: Set(RuleCatalog.all.map(\.id.rawValue)))
        #expect(judged.findings.count == 1 && judged.staleEntries.map(\.identity) == ["Lib.CartContext"])
        #expect(baseline.judge(old, known: Set(RuleCatalog.all.map(\.id.rawValue))).exitCode == 0)
    }
}
