// SPDX-License-Identifier: Apache-2.0

import AxiomVerification

extension RuleTwinTests {
    static let dependencyTwins: [Twin] = [
        // A client that has a client.
        Twin(
            rule: "client-holds-client",
            line: "private var count = 0",
            bad: "private var prices: any ⟦Client<PriceState, PriceAction>"
        ),
        Twin(
            rule: "client-holds-client",
            line: "private var count = 0",
            bad: "private var prices: [String: ⟦PriceClient] = [:]"
        ),
        Twin(
            rule: "client-holds-client",
            line: "private func clear() {",
            bad: "private func clear(_ prices: some ⟦Client<PriceState, PriceAction>) {"
        ),
        // Inside of a value, and of a value in it.
        Twin(
            rule: "client-holds-client",
            line: "private var count = 0",
            bad: "private var box: ⟦Box? = nil; private struct Box { var prices: any Client<PriceState, PriceAction> }"
        ),
        Twin(
            rule: "client-holds-client",
            line: "private var count = 0",
            bad:
                "private var all: [⟦Box] = []; enum Box { case one(Inner) }; struct Inner { let prices: [PriceClient] }"
        ),
        Twin(
            rule: "client-holds-client",
            line: "case add(Line)",
            bad: "case add(any ⟦Client<PriceState, PriceAction>)"
        ),
        // A client that knows who uses it.
        Twin(rule: "client-reaches-up", line: "private var count = 0", bad: "private weak var shown: ⟦CartContext?"),
        Twin(rule: "client-reaches-up", line: "count += 1", bad: "let _: ⟦Orchestrator? = nil"),
        Twin(rule: "client-reaches-up", line: "private var count = 0", bad: "private var view: ⟦CartView?"),
        Twin(
            rule: "client-reaches-up",
            line: "private func clear() {",
            bad: "private func clear<C>(_ shown: C) where C: ⟦Context {"
        ),
        // A context beside the clients.
        Twin(
            rule: "context-uses-capability",
            line: "private(set) var cents = 0",
            bad: "private var network: ⟦CapabilityRef<any Network>"
        ),
        Twin(rule: "context-uses-capability", line: "private(set) var cents = 0", bad: "private var clock: ⟦Clock?"),
        Twin(rule: "context-uses-capability", line: "private(set) var cents = 0", bad: "private var net: any ⟦Network"),
        Twin(
            rule: "context-uses-capability",
            line: "private(set) var cents = 0",
            bad: "private var box: ⟦Box?; struct Box { let clock: CapabilityRef<Clock> }"
        ),
        // A capability that knows who uses it.
        Twin(
            rule: "capability-reaches-up",
            line: "private let limit = 10",
            bad: "private var user: ⟦User?; struct User { let cart: CartClient }"
        ),
        Twin(rule: "capability-reaches-up", line: "private let limit = 10", bad: "private var user: ⟦CartClient?"),
        Twin(
            rule: "capability-reaches-up",
            line: "private let limit = 10",
            bad: "private weak var shown: ⟦PriceContext?"
        ),
        // A presentation of two contexts.
        Twin(
            rule: "presentation-one-context",
            line: "var title = \"Cart\"",
            bad: "let ⟦price: PriceContext; let title = \"\""
        ),
        // A component without an orchestrator.
        Twin(
            rule: "component-made-by-hand",
            line: "try await upload()",
            bad: "_ = try ⟦Clock(limit: 3)"
        ),
        Twin(
            rule: "component-made-by-hand",
            line: "var launches = 0",
            bad: "func open(_ store: Store) -> CartClient { ⟦CartClient(store) }"
        ),
        Twin(
            rule: "component-made-by-hand",
            line: "var launches = 0",
            bad: "let made = [1].map { number in ⟦CartClient(number) }"
        ),
        // A second initializer, by which anybody makes one.
        Twin(
            rule: "component-made-by-hand",
            line: "private let limit = 10",
            bad: "private let limit = 10; ⟦init(_ identity: ComponentIdentity) { self.identity = identity }"
        ),
        Twin(
            rule: "component-made-by-hand",
            line: "var launches = 0",
            bad: "extension Clock { ⟦init(named name: String, _ other: ComponentIdentity) { identity = other } }"
        ),
        // An identity that is not the scope's.
        Twin(
            rule: "identity-not-stored",
            line: "identity = scope.identity\n        prices = try scope.client(PriceClient.self)",
            bad: "identity = ⟦other.identity\n        prices = try scope.client(PriceClient.self)",
            isFixable: true
        ),
        Twin(
            rule: "identity-not-stored",
            line: "nonisolated let identity: ComponentIdentity\n    private let limit = 10",
            bad: "nonisolated var ⟦identity: ComponentIdentity { known }\n    private let limit = 10"
        ),
        // A scope that is kept.
        Twin(rule: "scope-kept", line: "private let limit = 10", bad: "private let ⟦scope: CapabilityScope"),
        Twin(
            rule: "scope-kept",
            line: "cart = try scope.client(CartClient.self)",
            bad: "running = Task { try scope.⟦client(CartClient.self) }"
        ),
        Twin(
            rule: "scope-kept",
            line: "price = try scope.context(PriceContext.self)",
            bad: "price = try ⟦PriceContext(scope)"
        ),
        // What no scope supplied.
        Twin(rule: "hidden-dependency", line: "static let limit = 10", bad: "static var ⟦limit = 10"),
        Twin(rule: "hidden-dependency", line: "count += 1", bad: "count += ⟦Registry.shared.count"),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += ⟦UserDefaults.standard.integer(forKey: \"count\")"
        ),
        Twin(rule: "hidden-dependency", line: "count += 1", bad: "_ = ⟦Foundation.FileManager.default"),
        Twin(rule: "hidden-dependency", line: "count += 1", bad: "⟦launches += 1"),
        // Constants whose contents change: a box, and an object.
        Twin(
            rule: "hidden-dependency",
            line: "static let limit = 10",
            bad: "static let ⟦hits = Mutex(0); static let limit = 10"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "⟦counter.withLock { $0 += 1 }",
            program: TwinProgram.text + "let counter: Mutex<Int> = Mutex(0)\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "_ = ⟦registry",
            program: TwinProgram.text + "let registry = Registry()\n"
        ),
        // Behind a function, a computed variable, and a global actor.
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "⟦bump()",
            program: TwinProgram.text + "func bump() { launches += 1 }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "⟦bump()",
            program: TwinProgram.text + "func bump() { [1].forEach { _ in step() } }\nfunc step() { launches += 1 }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += ⟦total",
            program: TwinProgram.text + "var total: Int { launches + 1 }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += ⟦Counter.next()",
            program: TwinProgram.text
                + "enum Counter { private static var hits = 0; static func next() -> Int { hits += 1; return hits } }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += ⟦Counter.now",
            program: TwinProgram.text
                + "struct Counter { static let hits = Mutex(0); static var now: Int { Self.hits.withLock { $0 } } }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += await ⟦Desk.shared.open",
            program: TwinProgram.text + "@globalActor actor Desk { static let shared = Desk(); var open = 0 }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += await ⟦Totals.all.sum",
            program: TwinProgram.text + "@Desk final class Totals { static let all = Totals(); var sum = 0 }\n"
                + "@globalActor actor Desk { static let shared = Desk() }\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "count += 1",
            bad: "count += await ⟦sums.count",
            program: TwinProgram.text
                + "@globalActor actor Desk { static let shared = Desk() }\n@Desk var sums: [Int] = []\n"
        ),
        Twin(
            rule: "hidden-dependency",
            line: "static let limit = 10",
            bad: "static let ⟦ledger = Ledger(); static let limit = 10",
            program: TwinProgram.text + "final class Ledger { var sum = 0 }\n"
        ),
        // An instance that leaves the call that lends it.
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { ⟦$0 }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call({ ⟦$0 })"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { net in ⟦net }"),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.call { (net: any Network) in return ⟦net }"
        ),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "try await network.call { net in saved = ⟦net }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "try await network.call { self.saved = ⟦$0 }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "try await network.call { saved.append(⟦$0) }"),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "try await network.call { waiting.resume(returning: ⟦$0) }"
        ),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { (⟦$0, 1) }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { [⟦$0] }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { [\"net\": ⟦$0] }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { Box(net: ⟦$0) }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { Optional.some(⟦$0) }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call { ⟦$0 as? HTTPNetwork }"),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.call { count > 1 ? ⟦$0 : nil }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.call { net in let kept = net; return ⟦kept }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.call { net in if count > 1 { return ⟦net }; throw CancellationError() }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.call { net in if count > 1 { ⟦net } else { nil } }"
        ),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "let ref = network; _ = try await ref.call { ⟦$0 }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call(⟦\\.self)"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call(⟦\\HTTPNetwork.self)"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call(\"load\") { ⟦$0 }"),
        Twin(rule: "capability-escapes", line: "count += 1", bad: "_ = try await network.call(\"load\", ⟦\\.self)"),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "try await network.call { net in Task { try await ⟦net.get(1) } }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.call { net in return Task.detached(priority: .low) { try await ⟦net.get(1) } }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "try await network.call { net in let task = Task { try await ⟦net.get(1) }; task.cancel() }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "try await network.call { net in running = Task(operation: { try await ⟦net.get(1) }) }"
        ),
        Twin(
            rule: "capability-escapes",
            line: "count += 1",
            bad: "_ = try await network.answer(orCached: last) { ⟦$0 }"
        ),
        Twin(
            rule: "client-navigates",
            line: "private var count = 0",
            bad: "private var flow: ⟦NavigationFlow<ShopRoute>?"
        ),
        Twin(
            rule: "client-navigates",
            line: "var title = \"Cart\"",
            bad: "var title = \"\"; let flow: ⟦Navigator<ShopRoute>"
        ),
    ]
}
