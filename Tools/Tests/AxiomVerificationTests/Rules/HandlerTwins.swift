// SPDX-License-Identifier: Apache-2.0

import AxiomVerification

extension RuleTwinTests {
    /// Request handlers: what they depend on, who may have them, and how they are declared.
    static let handlerTwins: [Twin] = [
        // A handler that depends on something else than clients.
        handler("client-reaches-up", stored: "private weak let shown: ⟦CartContext?"),
        handler("client-reaches-up", stored: "private let view: ⟦CartView?"),
        handler("client-reaches-up", stored: "private let other: ⟦Desk.Serving"),
        handler("client-reaches-up", stored: "private let other: ⟦Front"),
        handler("client-reaches-up", stored: "private let other: ⟦Axiom.Endpoint<Desk.Serving>"),
        handler("client-reaches-up", stored: "private let box: ⟦Box; struct Box { let others: [any RequestHandler] }"),
        handler("client-reaches-up", running: "let left = ⟦CartContext.componentName.count"),
        handler("client-reaches-up", running: "let left = await MainActor.run { ⟦Orchestrator() }.count"),
        handler("context-uses-capability", stored: "private let network: ⟦CapabilityRef<any Network>"),
        handler("context-uses-capability", stored: "private let network: any ⟦Network"),
        handler("context-uses-capability", stored: "private let box: ⟦Box?; struct Box { let clock: Clock }"),
        handler("context-uses-capability", running: "let clock: ⟦Clock? = nil; let left = 0"),
        handler("client-navigates", stored: "private let flow: ⟦NavigationFlow<ShopRoute>"),
        // What stands below a handler, or beside it.
        below("client-reaches-up", "private var count = 0", "private var stock: ⟦Endpoint<StockHandler>?"),
        below("client-reaches-up", "private var count = 0", "private var stock: (any ⟦RequestHandler)?"),
        below("client-reaches-up", "private func clear() {", "private func clear(_ stock: ⟦StockHandler) {"),
        below("capability-reaches-up", "private let limit = 10", "private let stock: ⟦Endpoint<StockHandler>"),
        below("capability-reaches-up", "private let limit = 10", "private let stock: ⟦StockHandler"),
        below("context-uses-handler", "private(set) var cents = 0", "private let stock: ⟦Endpoint<StockHandler>"),
        below("context-uses-handler", "private(set) var cents = 0", "private var routes: ⟦StockRoutes?"),
        below("context-uses-handler", "private(set) var cents = 0", "private let stocks: [String: ⟦StockHandler]"),
        below(
            "context-uses-handler",
            "try await cart.process(action)",
            "let stock: ⟦Endpoint<StockHandler>? = nil; _ = stock"
        ),
        below(
            "context-uses-handler",
            "var launches = 0",
            "extension CartContext { func show(_ session: ⟦borrowing RequestSession<StockHandler>) {} }"
        ),
        below("context-uses-handler", "var title = \"Cart\"", "var title = \"\"; let stock: ⟦Endpoint<StockHandler>"),
        below("action-reference", "case take(Line)", "case take(Line, ⟦Endpoint<StockHandler>)"),
        // A handler without an orchestrator, or with the scope of another component.
        below(
            "component-made-by-hand",
            "let limits = RequestLimits(inFlight: 100)",
            "let limits = RequestLimits(); let made = try ⟦StockHandler(other)"
        ),
        below(
            "component-made-by-hand",
            "let limits = RequestLimits(inFlight: 100)",
            "let limits = RequestLimits(); let made = [1].map { number in ⟦Front(number) }"
        ),
        handler(
            "component-made-by-hand",
            stored: "private let n = 1; ⟦init(_ other: ComponentIdentity) { identity = other }"
        ),
        handler("scope-kept", stored: "private let ⟦scope: HandlerScope"),
        below(
            "identity-not-stored",
            "identity = scope.identity\n        stock = try scope.client(CartClient.self)",
            "identity = ⟦other.identity\n        stock = try scope.client(CartClient.self)",
            isFixable: true
        ),
        // Many requests at once.
        below(
            "handler-not-concurrent",
            "final class StockHandler: RequestHandler {",
            "@MainActor final class ⟦StockHandler: RequestHandler {"
        ),
        below(
            "handler-not-concurrent",
            "final class StockHandler: RequestHandler {",
            "final class StockHandler: ⟦@MainActor RequestHandler {"
        ),
        below("handler-not-concurrent", "extension Front: Serves {}", "@MainActor extension ⟦Front: Serves {}"),
        below(
            "handler-not-concurrent",
            "func handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int {",
            "@MainActor func ⟦handle(_ request: StockRequest, in work: borrowing WorkScope) async throws -> Int {"
        ),
        handler("handler-not-concurrent", stored: "private nonisolated(unsafe) var ⟦hits = 0"),
        handler("handler-not-concurrent", stored: "@MainActor private var ⟦hits = 0"),
        below("handler-not-concurrent", "final class Serving {", "final class Serving { var ⟦hits = 0"),
        handler(
            "handler-not-concurrent",
            stored: "actor Inner: RequestHandler { nonisolated(unsafe) var ⟦hits = 0; let identity: ComponentIdentity }"
        ),
        // As for every component.
        handler("hidden-dependency", running: "let left = ⟦Registry.shared.count"),
        handler("hidden-dependency", running: "let left = ⟦launches"),
        handler("hidden-dependency", running: "let left = ⟦UserDefaults.standard.integer(forKey: \"count\")"),
        handler("hidden-dependency", stored: "private static let ⟦hits = Mutex(0)"),
        below(
            "context-swallows-error",
            "try await stock.process(.clear)",
            "⟦try? await stock.process(.clear)",
            isFixable: true,
            severity: .warning
        ),
        handler("unstructured-task", running: "⟦Task {}; let left = 0", severity: .warning),
        below(
            "final-missing",
            "final class Serving {",
            "class ⟦Serving {",
            isFixable: true,
            severity: .warning
        ),
    ]

    /// A twin whose handler has another property.
    private static func handler(_ rule: RuleID, stored property: String) -> Twin {
        let line = "private let stock: any Client<CartState, CartAction>"
        return below(rule, line, "\(line); \(property)")
    }

    /// A twin whose handler has another statement.
    private static func handler(_ rule: RuleID, running statement: String, severity: Severity = .error) -> Twin {
        below(rule, "let left = await remaining()", statement, severity: severity)
    }

    private static func below(
        _ rule: RuleID,
        _ line: String,
        _ bad: String,
        isFixable: Bool = false,
        severity: Severity = .error
    ) -> Twin {
        Twin(
            rule: rule,
            line: line,
            bad: bad,
            isFixable: isFixable,
            severity: severity,
            program: TwinProgram.withLateHandler
        )
    }
}
