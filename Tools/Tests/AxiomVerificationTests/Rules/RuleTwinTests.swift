// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Rules: twins that differ in one line")
struct RuleTwinTests {
    @Test("The good twin has no finding")
    func good() {
        let verdict = judge(TwinProgram.withLateHandler)
        #expect(verdict.findings.map(\.message) == [])
        #expect(verdict.unreadableFiles.isEmpty)
    }

    @Test("TL-V1, TL-V2, TL-V3: the bad twin has one finding, at its place, and the fix mends it", arguments: twins)
    func bad(twin: Twin) throws {
        try check(twin)
    }

    @Test(
        "Correct code of the same shape has no finding",
        arguments: [
            // A stream that unfolds has no continuation, with and without its label.
            ("private var count = 0", "private let next = AsyncStream { await Task.yield(); return nil as Int? }"),
            ("private var count = 0", "private let next = AsyncStream(unfolding: { nil as Int? }, onCancel: {})"),
            // A task whose handle is used, and a value without a client.
            ("count += 1", "let task = Task { try await upload() }; try await task.value"),
            ("count += 1", "let task = Task { try await upload() }; defer { task.cancel() }"),
            ("private var count = 0", "private var box: Box?; private struct Box { let line: Line; let inner: [Box] }"),
            ("private var count = 0", "private weak var box: Box?; private struct Box { weak var own: CartClient? }"),
            // What else a catch does is no swallowing.
            ("throw error", "print(error); throw error"), ("throw error", "count -= 1; return"),
            ("throw error", "throw error } catch is CocoaError { return"),
            // A constant of values.
            ("var launches = 0", "let first = Line(article: \"Tea\"); var launches = 0"),
            // What a call makes of an instance may leave it, and so may anything of another call.
            ("count += 1", "count += try await network.call { net in try await net.send(\"a\"); return 1 }"),
            ("count += 1", "_ = try await network.call { [try await $0.send(\"a\")] }"),
            ("count += 1", "_ = try await network.call { net in [1].map { number in number } }"),
            ("count += 1", "try await network.call { net in let kept = net; try await kept.send(\"a\") }"),
            ("count += 1", "try await network.call { net in var all = [1]; all.append(2); try await net.send(\"a\") }"),
            ("count += 1", "_ = [1].map { $0 }; _ = phone.call { $0 }"),
            ("count += 1", "_ = try await network.call(\\.name); _ = [1].map(\\.self); _ = phone.call(\\.self)"),
            ("count += 1", "try await network.call { net in try await Task { try await net.send(\"a\") }.value }"),
            (
                "count += 1",
                "try await network.call { net in let task = Task { try await net.send(\"a\") }; try await task.value }"
            ),
            (
                "count += 1",
                "try await network.call { net in let task = Task { try await net.send(\"a\") }; try await withTaskCancellationHandler { try await task.value } onCancel: { task.cancel() } }"
            ),
            ("count += 1", "try await network.call { _ in running = Task { try await upload() } }"),
            // A global actor has to have one.
            (
                "var launches = 0",
                "var launches = 0; @globalActor actor Desk: Capability { static let shared = Desk(); nonisolated let identity: ComponentIdentity; var open = 0 }"
            ),
            // Functions and initializers of a component that change nothing that is shared.
            (
                "private let limit = 10",
                "private let limit = 10; private init(_ own: ComponentIdentity) { identity = own }"
            ),
            (
                "private let limit = 10",
                "private let limit = 10; init(_ scope: borrowing CapabilityScope, limit: Int) { identity = scope.identity }"
            ),
            (
                "var launches = 0",
                "var launches = 0; let ratio = 2; func double(_ n: Int) -> Int { var launches = n; launches += n; return launches * ratio }; actor Half: Capability { nonisolated let identity: ComponentIdentity; func half() -> Int { double(1) } }"
            ),
            (
                "var launches = 0",
                "var launches = 0; enum Count { static var all = 0; static func twice(_ n: Int) -> Int { 2 * n } }; actor Half: Capability { nonisolated let identity: ComponentIdentity; func half() -> Int { Count.twice(1) } }"
            ),
            // A local function that uses its parameters only.
            (
                "try await Task.sleep(for: .seconds(1))",
                "func show(_ context: CartContext, _ state: CartState) { context.lines = state.lines }; observe(cart, show)"
            ),
        ]
    )
    func correct(line: String, other: String) throws {
        let text = try TwinProgram.text.replacingOnce("\(line)\n", with: "\(other)\n")
        #expect(judge(text, VerifierConfiguration()).findings.map(\.message) == [])
    }

    @Test("Rules that are off by default run if they are enabled", arguments: offTwins)
    func off(twin: Twin) throws {
        var configuration = VerifierConfiguration()
        configuration.enabled = [twin.rule]
        // The program itself breaks these rules elsewhere, so it is short.
        #expect(try judge(twin.marked().filter { $0 != "⟦" }).findings.isEmpty)
        #expect(judge(twin.program, configuration).findings.isEmpty)
        try check(twin, configuration)
    }

    @Test("Each rule of the catalog has a good and a bad twin that differ in one line")
    func complete() throws {
        let twins = Self.twins + Self.offTwins
        let projectTwins = GraphRuleTests.twins + RouteRuleTests.twins + [Self.importTwin]
        let covered = Set(twins.map(\.rule) + projectTwins.map(\.rule))
        #expect(Set(RuleCatalog.all.map(\.id)).subtracting(covered) == [])
        for twin in twins { #expect(try twin.differsInOneLine, "\(twin)") }
        for twin in projectTwins { #expect(twin.differsInOneLine, "\(twin)") }
    }

    @Test("The twins of imports need the layers of a configuration")
    func imports() throws {
        var environment = ProjectEnvironment()
        environment.layers = [
            Configuration.Layer(name: "Core", modules: ["ShopCore"], mayImport: []),
            Configuration.Layer(name: "Shop", modules: ["Shop"], mayImport: ["Core"]),
            Configuration.Layer(name: "Screens", modules: ["ShopUI"], mayImport: ["Core", "Shop"]),
        ]
        #expect(try Self.importTwin.findings(in: Self.importTwin.good, environment) == [])
        let found = try Self.importTwin.findings(in: Self.importTwin.bad, environment)
        #expect(found.map(\.location.start.line) == [1])
    }

    static let importTwin = SourceTwin(
        "import-direction",
        "import ShopCore\n\nstruct Cart {}\n",
        replace: "import ShopCore",
        with: "import ShopUI"
    )

    static let twins = dependencyTwins + handlerTwins + valueTwins + bodyTwins + declarationTwins

    static let offTwins: [Twin] = leafTwins + indexTwins

    private static let leafTwins: [Twin] = [
        Twin(
            rule: "capability-is-leaf",
            line: "let limit: Int",
            bad: "let limit: ⟦CapabilityRef<Clock>",
            severity: .warning,
            program: """
                import Axiom
                actor Clock: Capability { nonisolated let identity: ComponentIdentity }
                actor Network: Capability {
                    nonisolated let identity: ComponentIdentity
                    let limit: Int
                }

                """
        )
    ]

    private static let indexTwins: [Twin] = [
        (
            head: "enum CartAction", element: "add",
            members: "static let caseNames = [\"add\"]; var caseIndex: Int { 0 }"
        ),
        (
            head: "public enum CartAction", element: "`init`",
            members: "public static let caseNames = [\"init\"]; public var caseIndex: Int { 0 }"
        ),
        (
            head: "enum CartAction<Item: Sendable>", element: "add(Item)",
            members: "static var caseNames: [String] { [\"add\"] }; var caseIndex: Int { 0 }"
        ),
    ].map { form in
        Twin(
            rule: "action-not-indexed",
            line: form.members,
            bad: "",
            mark: form.head.replacing("CartAction", with: "⟦CartAction"),
            isFixable: true,
            severity: .warning,
            program: """
                import Axiom
                \(form.head): Action {
                    case \(form.element)
                    \(form.members)
                }

                """
        )
    }
}
