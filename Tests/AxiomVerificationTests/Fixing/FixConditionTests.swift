// SPDX-License-Identifier: Apache-2.0

#if Tools
import AxiomVerification
import Testing

/// Where fixes stop short, because the result would not compile or would mean something else.
@Suite("Conditions of fixes")
struct FixConditionTests {
    /// The one finding of a rule, and the text after its fix.
    private func mend(_ text: String, _ rule: RuleID) throws -> (safety: Fix.Safety, text: String)? {
        let findings = judge(text).findings.filter { $0.rule == rule }
        try #require(findings.count == 1, "\(findings.map(\.message))")
        return findings[0].fix.map { ($0.safety, text.applying($0.edits)) }
    }

    @Test(
        "A variable of an action with observers, a wrapper, or nil as its default has no fix",
        arguments: [
            "var w: Int { didSet {} }", "@Wrap var q: Int", "var a: Int?", "var a: Int!", "var a = 1",
            "var a = 1, b: Int", "weak var a: Box", "private(set) var a: Int",
        ]
    )
    func variables(member: String) throws {
        let text = "import Axiom\nstruct Order: Action {\n    \(member)\n}\n"
        let findings = judge(text).findings.filter { $0.rule == "action-reference" }
        #expect(!findings.isEmpty && findings.allSatisfy { $0.fix == nil }, "\(findings)")
    }

    @Test("A plain variable of an action becomes a constant, for review")
    func constant() throws {
        let text = "import Axiom\nstruct Order: Action { public var a: Int }\n"
        let fix = try #require(try mend(text, "action-reference"))
        #expect(fix.safety == .review && fix.text.contains("public let a: Int"))
    }

    @Test(
        "A closure of observe with captures, or another meaning of self or of the parameter, has no fix",
        arguments: [
            "Task { [weak self] in guard let self else { return }; self.lines = [] }",
            "Task { [self] in self.lines = [] }", "Task { let context = 1; self.lines = [context] }",
            "[1].forEach { context in self.lines = [context] }",
        ]
    )
    func captures(body: String) throws {
        let text = try TwinProgram.text.replacingOnce("context.lines = state.lines", with: body)
        let findings = judge(text).findings.filter { $0.rule == "observe-captures-self" }
        #expect(!findings.isEmpty && findings.allSatisfy { $0.fix == nil }, "\(findings)")
    }

    private func state(_ declaration: String) -> String {
        "import Axiom\nstruct CartState: OwnedState { var owner: Box }\nclass Base {}\nprotocol Named: AnyObject {}\n\(declaration)\n"
    }

    @Test(
        "A class with blanks and comments around final becomes a struct",
        arguments: [
            ("final class Box {}", "struct Box {}"), ("final  class Box {}", "struct Box {}"),
            ("final /* alone */ class Box {}", "/* alone */ struct Box {}"),
            ("final public class Box: Sendable {}", "public struct Box: Sendable {}"),
            ("final\nclass Box {}", "\nstruct Box {}"),
        ]
    )
    func structs(pair: (old: String, new: String)) throws {
        let fix = try #require(try mend(state(pair.old), "state-reference"))
        #expect(fix.text == state(pair.new))
    }

    @Test(
        "A class with what only classes have stays one",
        arguments: [
            "class Box: Base {}", "class Box { deinit {} }", "class Box: Unknown {}", "final class Box: Named {}",
            "class Box {}\nfinal class Small: Box {}", "class Box { class func make() {} }", "open class Box {}",
            "class Box { convenience init(_ a: Int) { self.init() } }", "@Observable final class Box {}",
        ]
    )
    func classes(declaration: String) throws {
        #expect(try mend(state(declaration), "state-reference") == nil)
    }

    @Test(
        "The comparison of a state keeps what it means",
        arguments: [
            ("l.b == r.b || l.b > 3", "(l.b == r.b || l.b > 3) && l.c == r.c"),
            ("l.b == r.b ? true : l.b > 3", "(l.b == r.b ? true : l.b > 3) && l.c == r.c"),
            ("l.b == r.b && l.b > 3", "l.b == r.b && l.b > 3 && l.c == r.c"),
        ]
    )
    func equality(pair: (old: String, new: String)) throws {
        func text(_ body: String) -> String {
            """
            import Axiom
            struct CartState: OwnedState {
                var b = 0
                var c = 0
                static func == (l: CartState, r: CartState) -> Bool { \(body) }
            }

            """
        }
        let fix = try #require(try mend(text(pair.old), "state-manual-equality"))
        #expect(fix.text == text(pair.new))
    }

    @Test(
        "An optional that something needs stays one",
        arguments: [
            "if let y = try? await upload() { print(y) }", "guard let y = try? await upload() else { return }",
            "guard (try? await upload()) != nil else { return }", "defer { try? upload() }",
            "let y = try? await upload(); if let y { print(y) }",
        ]
    )
    func optionals(statement: String) throws {
        let text = try TwinProgram.text.replacingOnce(
            "try await upload()\n        do {",
            with: "\(statement)\n        do {"
        )
        #expect(try mend(text, "client-swallows-error") == nil)
    }

    @Test("A result that nobody needs is tried", arguments: ["try? await upload()", "_ = try? await upload()"])
    func tried(statement: String) throws {
        let text = try TwinProgram.text.replacingOnce(
            "try await upload()\n        do {",
            with: "\(statement)\n        do {"
        )
        let fix = try #require(try mend(text, "client-swallows-error"))
        #expect(fix.text.contains(statement.replacing("try?", with: "try")))
    }
}
#endif
