// SPDX-License-Identifier: Apache-2.0

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
        "A class whose uses need a reference stays one",
        arguments: [
            // Its identity.
            "final class Box {}\nfunc f(_ a: CartState, _ b: CartState) -> Bool { a.owner === b.owner }",
            "final class Box {}\nfunc f(_ a: Box, _ b: Box) -> Bool { a !== b }",
            "final class Box {}\nfunc f(_ all: [Box], _ b: Box) -> Bool { all.contains { $0 === b } }",
            "final class Box { func f(_ other: Box) -> Bool { self === other } }",
            "final class Box {}\nfunc f(_ a: Box) -> ObjectIdentifier { ObjectIdentifier(a) }",
            "final class Box {}\nfunc f(_ a: inout Box) -> Bool { isKnownUniquelyReferenced(&a) }",
            "final class Box {}\nfunc f(_ a: Box) { _ = Unmanaged.passUnretained(a) }",
            // References that do not own it.
            "final class Box {}\nfinal class Holder { weak var box: Box? }",
            "final class Box {}\nstruct Holder { unowned let box: Box }",
            "final class Box {}\nfunc f(_ box: Box) { weak var kept = box; _ = kept }",
            "final class Box {}\nfunc f(_ box: Box) { Task { [weak box] in _ = box } }",
            "final class Box { func f() { Task { [weak self] in _ = self } } }",
            // What demands a class.
            "final class Box {}\nfunc take<T: AnyObject>(_ t: T) {}\nfunc f(_ box: Box) { take(box) }",
            "final class Box {}\nfunc take(_ object: AnyObject) {}\nfunc f(_ box: Box) { take(box) }",
            "final class Box {}\nfunc f() -> NSCache<NSString, Box> { NSCache() }",
            "final class Box {}\nstruct Weak<T: AnyObject> { weak var value: T? }\nvar all: [Weak<Box>] = []",
            "final class Box {}\nfunc f<T: Box>(_ t: T) {}", "final class Box {}\nprotocol Boxed: Box {}",
            "final class Box {}\nfunc f(_ b: any Named & Box) {}",
            // A change of a constant, of a parameter, in a method, of what it is in.
            "final class Box { var n = 0 }\nfunc f(_ box: Box) { box.n = 1 }",
            "final class Box { var n = 0 }\nfunc f(_ box: Box) { box.n += 1 }",
            "final class Box { var n = [0] }\nfunc f(_ box: Box) { box.n[0] = 1 }",
            "final class Box { var n = [0] }\nfunc f(_ box: Box) { box.n.append(1) }",
            "final class Box { var n = 0 }\nfunc f(_ box: Box) { raise(&box.n) }\nfunc raise(_ n: inout Int) {}",
            "final class Box { var n = 0; func f() { n += 1 } }",
            "final class Box { var n = 0; func f() { self.n = 1 } }",
            "final class Box { var n = 0 }\nfunc f(_ all: [Box]) { all.forEach { $0.n = 1 } }",
            "final class Box { var n = 0 }\nfunc f(_ all: [Box]) { for one in all { one.n = 1 } }",
            "final class Box { var n: Int { get { 1 } set {} } }\nfunc f(_ box: Box) { box.n = 1 }",
            "final class Box { lazy var n = 1 }", "final class Box { final func f() {} }",
            // A struct does not contain itself.
            "final class Box { let next: Box? = nil }",
            "final class Box { let part: Part? = nil }\nstruct Part { let box: Box? }",
        ]
    )
    func references(declaration: String) throws {
        #expect(try mend(state(declaration), "state-reference") == nil)
    }

    @Test(
        "A class that is used as a value is used becomes a struct",
        arguments: [
            "final class Box: Hashable { let n = 1; static func == (l: Box, r: Box) -> Bool { true }; func hash(into: inout Hasher) {} }\nfunc f(_ a: Box) -> Int { a.n }",
            "final class Box { var n: Int; init(_ n: Int) { self.n = n } }\nfunc f(_ a: Box) -> [Int] { [a.n].map { $0 } }",
            "final class Box { var n = 0 }\nfunc f(_ s: StateStore<CartState>) { s.update { $0.owner.n = 1 } }",
            "final class Box {}\nfinal class Other { var n = 0 }\nfunc f(_ a: Other, _ b: Other) -> Bool { a.n += 1; return a === b }",
            "final class Box { var n = 0 }\nstruct Other { var n = 0; mutating func f() { n += 1 } }",
        ]
    )
    func values(declaration: String) throws {
        let fix = try #require(try mend(state(declaration), "state-reference"))
        #expect(fix.text.contains("struct Box"))
    }

    @Test("A stream ends in a function of the right access, and in none if an extension has it")
    func access() throws {
        let text = TwinProgram.withoutStream.replacing("actor CartClient:", with: "public actor CartClient:")
            .replacing("    func deactivate() async {\n    }\n", with: "")
        let line = "private let waiting: AsyncStream<Int>.Continuation = AsyncStream.makeStream().continuation"
        let stream = try text.replacingOnce("private var count = 0", with: line)
        let removed = stream.replacing("func deactivate() async", with: "func end() async")
        let fix = try #require(try mend(removed, "stream-not-finished"))
        #expect(fix.text.contains("    public func deactivate() async {\n        waiting.finish()"))
        let extended = removed + "extension CartClient { func deactivate() async {} }\n"
        #expect(try mend(extended, "stream-not-finished") == nil)
    }

    @Test("A class with another global actor does not get a second one")
    func secondActor() throws {
        let text = try TwinProgram.withLateContext.replacingOnce(
            "@MainActor\n@Observable\nfinal class PriceContext {",
            with: "@Desk\n@Observable\nfinal class PriceContext {"
        )
        let actor = "@globalActor actor Desk { static let shared = Desk() }\n"
        #expect(try mend(text + actor, "main-actor-missing") == nil)
    }

    @Test(
        "A variable of an action that is changed somewhere stays one",
        arguments: [
            "func f(_ o: inout Order) { o.a = 1 }", "func f() { var o = Order(a: 1); o.a += 1 }",
            "func f(_ o: inout Order) { raise(&o.a) }\nfunc raise(_ n: inout Int) {}",
            "extension Order { mutating func f() { a += 1 } }",
        ]
    )
    func changed(use: String) throws {
        #expect(try mend("import Axiom\nstruct Order: Action { var a: Int }\n\(use)\n", "action-reference") == nil)
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
