// SPDX-License-Identifier: Apache-2.0

import AxiomVerification
import Testing

/// Fixes that declare something, in declarations of many forms.
@Suite("Fixes that declare")
struct DeclarationFixTests {
    /// The fix of the one finding of a rule, and the text after it.
    private func mend(_ text: String, _ rule: RuleID) throws -> (fix: Fix, text: String)? {
        var configuration = VerifierConfiguration()
        configuration.enabled = [rule]
        let findings = judge(text, configuration).findings.filter { $0.rule == rule }
        try #require(findings.count == 1, "\(findings.map(\.message))")
        return findings[0].fix.map { ($0, text.applying($0.edits)) }
    }

    @Test("A class that tests may inherit from becomes final only for review")
    func final() throws {
        let text = "import Axiom\n@MainActor class CartContext: Context {}\n"
        let mended = try #require(try mend(text, "final-missing"))
        #expect(mended.fix.safety == .review)
        #expect(mended.text.contains("final class CartContext"))
    }

    @Test(
        "The names and the index of cases are as accessible as the enum",
        arguments: [
            ("public enum A: Action { case a }", "public "), ("package enum A: Action { case a }", "package "),
            ("enum A: Action { case a }", ""), ("private enum A: Action { case a }", ""),
            ("struct S {}\npublic extension S { enum A: Action { case a } }", "public "),
            ("struct S {}\npublic extension S { internal enum A: Action { case a } }", ""),
            ("public struct S { enum A: Action { case a } }", ""),
            ("struct S { public enum A: Action { case a } }", "public "),
        ]
    )
    func access(declaration: String, access: String) throws {
        let text = try #require(try mend("import Axiom\n\(declaration)\n", "action-not-indexed")).text
        let lines = text.split(separator: "\n").map { $0.drop { $0 == " " } }
        #expect(lines.contains("\(access)static let caseNames = [\"a\"]"), "\(text)")
        #expect(lines.contains("\(access)var caseIndex: Int {"), "\(text)")
    }

    @Test(
        "A generic type, a type in one, and a type in a function get computed names",
        arguments: [
            "enum A<T: Sendable>: Action { case a(T) }", "struct S<T> { enum A: Action { case a } }",
            "struct S<T> {}\nextension S { enum A: Action { case a } }",
            "struct S<T> { struct Part {} }\nextension S.Part { enum A: Action { case a } }",
            "extension Array { enum A: Action { case a } }", "func make<T>(_ t: T) { enum A: Action { case a } }",
        ]
    )
    func generic(declaration: String) throws {
        let text = try #require(try mend("import Axiom\n\(declaration)\n", "action-not-indexed")).text
        #expect(text.contains("static var caseNames: [String] { [\"a\"] }"), "\(text)")
    }

    @Test("A case keeps its back-ticks in the pattern, and its name has none")
    func backticks() throws {
        let text = "import Axiom\nenum A: Action { case `init`, add, `two words` }\n"
        let mended = try #require(try mend(text, "action-not-indexed")).text
        #expect(mended.contains(#"static let caseNames = ["init", "add", "two words"]"#), "\(mended)")
        #expect(mended.contains("case .`init`: 0\n") && mended.contains("case .`two words`: 2\n"), "\(mended)")
        #expect(mended.contains("case .add: 1\n"), "\(mended)")
    }

    @Test("Two cases of one name have no fix: no pattern tells them apart")
    func overloads() throws {
        let text = "import Axiom\nenum A: Action { case add(line: Int), add(note: String) }\n"
        #expect(try mend(text, "action-not-indexed") == nil)
    }
}
