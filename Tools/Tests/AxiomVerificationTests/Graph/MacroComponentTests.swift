// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Components with macros")
struct MacroComponentTests {
    /// The cart of `Tests/MacrosPackage`, as sources of an application.
    private static func cart(_ module: String) -> [String: String] {
        let folder = "Tests/MacrosPackage/Sources/\(module)"
        return Dictionary(
            uniqueKeysWithValues: Program.files(below: folder).map { path, text in
                ("Sources/\(module)\(path.dropFirst(folder.count))", text)
            }
        )
    }

    private static func project(_ sources: [String: String]) -> ProjectFacts {
        var environment = ProjectEnvironment()
        environment.isWhole = true
        return SourceTwin.project(sources, environment)
    }

    private static func judge(_ sources: [String: String]) -> ProjectVerdict {
        var configuration = VerifierConfiguration()
        configuration.environment.isWhole = true
        let files = sources.map { path, text in
            FileFacts.read(path: path, module: ModuleMap().module(of: path), bytes: Array(text.utf8))
        }
        return Verifier(configuration).judge(files)
    }

    /// The graph without places and modules.
    private static func shape(_ graph: StaticGraph) -> [String] {
        let nodes = graph.nodes.map { "\($0.kind.rawValue) \($0.name), \($0.registrations.count) registrations" }
        return nodes + graph.edges.map { "\(graph.nodes[$0.from].name) → \(graph.nodes[$0.to].name)" }
    }

    @Test("A component with macros has the dependencies of its twin by hand, and neither has a finding")
    func twins() {
        let (macros, byHand) = (Self.cart("Cart"), Self.cart("HandwrittenCart"))
        let graph = StaticGraph(Self.project(macros))
        #expect(Self.shape(graph) == Self.shape(StaticGraph(Self.project(byHand))))
        #expect(graph.nodes.count == 7 && graph.edges.count == 7)
        for sources in [macros, byHand, Self.cart("Example")] {
            #expect(!sources.isEmpty)
            #expect(Self.judge(sources).findings.map { "\($0.rule.rawValue): \($0.message)" } == [])
        }
        let (first, second) = (Self.judge(macros).metrics, Self.judge(byHand).metrics)
        #expect(first.map(\.componentCount) == second.map(\.componentCount))
        #expect(first.map(\.dependencyDepth) == second.map(\.dependencyDepth))
    }

    @Test(
        "TL-V1: the planted fault in a component with macros is found, at its place, and nothing else",
        arguments: faults
    )
    func planted(_ fault: MacroFault) throws {
        var sources = Self.cart("Cart")
        let (path, text) = try #require(sources.first { $0.value.contains(fault.line) })
        let changed = try text.replacingOnce(fault.line, with: fault.bad)
        sources[path] = changed
        let found = Self.judge(sources).findings
        #expect(found.map(\.rule) == [fault.rule], "\(found.map(\.message))")
        let finding = try #require(found.first)
        let file = try #require(sources[finding.location.path])
        let lines = file.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines[finding.location.start.line - 1].contains(fault.place))
    }

    @Test("The macros mean nothing without their module")
    func otherModule() {
        let sources = Self.cart("Cart").mapValues { $0.replacing("import AxiomMacros", with: "import Axiom") }
        #expect(StaticGraph(Self.project(sources)).nodes.map(\.kind) == [.presentation])
    }

    @Test("A state is owned by the client whose macro shows it; a state that is declared twice is not judged")
    func owners() {
        func found(_ macro: String, _ other: String = "") -> [String] {
            let source = """
                import AxiomMacros
                @AxiomState struct CartState { var items: [String] = [] }
                @AxiomState struct OtherState {}
                \(macro) actor CartClient {}
                @AxiomClient(OtherState.self) actor OtherClient {}
                """
            let sources = ["Sources/Shop/Shop.swift": source, "Sources/Shop/Other.swift": other]
            return Self.judge(sources).findings.map(\.rule.rawValue)
        }
        #expect(found("@AxiomClient(CartState.self)") == [])
        #expect(found("@AxiomClient(CartState(items: []))") == [])
        #expect(found("@AxiomMacros.AxiomClient(CartState.init())") == [])
        #expect(found("@AxiomClient") == ["state-shared"])
        #expect(found("@AxiomClient", "struct CartState {}") == [])
    }
}

/// A fault in the cart with macros.
struct MacroFault: Sendable, CustomTestStringConvertible {
    let rule: RuleID
    let line: String
    let bad: String
    /// A part of the line with the finding.
    let place: String

    init(_ rule: RuleID, _ line: String, _ bad: String, at place: String? = nil) {
        (self.rule, self.line, self.bad, self.place) = (rule, line, bad, place ?? bad)
    }

    var testDescription: String { "\(rule.rawValue): \(bad)" }
}

extension MacroComponentTests {
    static let faults: [MacroFault] = components + declarations + bodies

    private static let events = "private var events: [String] = []"
    private static let parcels = "private var parcels = 0"
    private static let appearances = "package private(set) var appearances = 0"
    private static let orders = "store.update(.critical) { $0.order() }"
    private static let scale = "orchestrator.register(Scale.self) { Scale($0) }"

    private static let components = [
        MacroFault(
            "state-shared",
            "@AxiomClient\npackage",
            "@AxiomClient(CartState.self)\npackage",
            at: "actor ActivityClient"
        ),
        MacroFault(
            "state-shared",
            "@AxiomClient\npackage",
            "@AxiomClient(CartState(lines: []))\npackage",
            at: "actor ActivityClient"
        ),
        MacroFault("client-holds-client", events, "@Client private let cart: ClientOf<CartClient>"),
        MacroFault("client-reaches-up", events, "@Downstream let total: TotalContext"),
        MacroFault("capability-reaches-up", parcels, "@Client let cart: ClientOf<CartClient>"),
        MacroFault("context-uses-capability", appearances, "@Capability let scale: CapabilityRef<Scale>"),
        MacroFault(
            "capability-cycle",
            "func weight(of lines: [CartLine]) -> Int { lines.reduce(0) { $0 + $1.quantity } }",
            "@Capability let shipping: CapabilityRef<Shipping>"
        ),
        MacroFault("context-cycle", appearances, "@Downstream let screen: CartContext", at: "TotalContext"),
        MacroFault("registered-not", scale, "", at: "@Capability let scale"),
        MacroFault(
            "registered-not",
            "    orchestrator.register(ActivityClient.self) { ActivityClient($0) }\n",
            "",
            at: "@Client(ActivityClient.self)"
        ),
        MacroFault(
            "registered-not",
            "    orchestrator.register(TotalContext.self) { try TotalContext($0) }\n",
            "",
            at: "@Downstream package let total"
        ),
        MacroFault("registered-twice", scale, "\(scale); \(scale)"),
        MacroFault("component-made-by-hand", "appearances += 1", "_ = Scale(other)"),
        MacroFault(
            "presentation-one-context",
            "package let context: CartContext\n",
            "package let context: CartContext; package let total: TotalContext\n",
            at: "let total"
        ),
    ]

    private static let declarations = [
        MacroFault("identity-not-stored", parcels, "nonisolated let identity = ComponentIdentity.other"),
        MacroFault(
            "main-actor-missing",
            "@MainActor\npackage final class TotalContext",
            "package final class TotalContext"
        ),
        MacroFault("final-missing", "package final class TotalContext", "package class TotalContext"),
        MacroFault("state-reference", "package var note: String?", "package var note: (() -> Void)?"),
        MacroFault("action-reference", "case record(String)", "case record(() -> Void)"),
        MacroFault(
            "case-names-mismatch",
            "case record(String)",
            "case record(String); static let caseNames = [\"recorded\"]"
        ),
        MacroFault("unchecked-sendable", "package actor Scale {", "package actor Scale: @unchecked Sendable {"),
    ]

    private static let bodies = [
        MacroFault("stream-not-finished", events, "private let events = AsyncStream<Int>.makeStream()"),
        MacroFault("unstructured-task", "events.append(event)", "Task { events.append(event) }"),
        MacroFault("reentrant-update", orders, "store.update { $0.order(); store.update { $0.order() } }"),
        MacroFault("await-between-read-and-update", orders, "store.update { $0.lines = lines }"),
        MacroFault(
            "observe-captures-self",
            "observeClients()",
            "observe(cart) { _, state in self.count = state.orders }"
        ),
        MacroFault("blocks-main", "appearances += 1", "usleep(1)"),
    ]
}
