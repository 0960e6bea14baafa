// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomTesting
import Cart
import HandwrittenCart
import Testing

/// The same application twice: its macros wrote in one module what is written by hand in the other.
@MainActor
@Suite("The cart with macros and the one written by hand", .timeLimit(.minutes(10)))
struct TwinTests {
    /// What an application shows of itself after the same run.
    private struct Evidence {
        var graph: [String]
        var nodes: [String]
        var page: [String]
        var output: [String]
    }

    private func evidence(_ app: TestOrchestrator, _ output: [String]) async throws -> Evidence {
        let graph = app.orchestrator.graph
        let page = try app.telemetry.registry.collect().text.split(separator: "\n").map(String.init)
        return Evidence(
            graph: graph.edges.map { "\($0.from) → \($0.to)" }.sorted(),
            nodes: graph.nodes.map(\.description).sorted(),
            page: page.filter { !$0.contains("process_") },
            output: output
        )
    }

    private func withMacros() async throws -> Evidence {
        let app = TestOrchestrator(exhaustivity: .off) { Cart.register(in: $0) }
        let cart = try await app.context(Cart.CartContext.self)
        for intent: Cart.CartIntent in [
            .add(article: "tea", quantity: 2), .add(article: "milk", quantity: 1), .remove(article: "milk"), .order,
            .order, .reset, .look,
        ] { await cart.send(intent) }
        let context = try cart.context
        let output = ["\(context.lines)", context.title, "\(context.total.count)", "\(context.total.appearances)"]
        await cart.finish()
        return try await evidence(app, output)
    }

    private func byHand() async throws -> Evidence {
        let app = TestOrchestrator(exhaustivity: .off) { HandwrittenCart.register(in: $0) }
        let cart = try await app.context(HandwrittenCart.CartContext.self)
        for intent: HandwrittenCart.CartIntent in [
            .add(article: "tea", quantity: 2), .add(article: "milk", quantity: 1), .remove(article: "milk"), .order,
            .order, .reset, .look,
        ] { await cart.send(intent) }
        let context = try cart.context
        let output = ["\(context.lines)", context.title, "\(context.total.count)", "\(context.total.appearances)"]
        await cart.finish()
        return try await evidence(app, output)
    }

    @Test("They have the same graph of components, the same page of metrics and the same output")
    func same() async throws {
        // The first start of a process is a cold one.
        _ = try await byHand()
        let (macros, hand) = (try await withMacros(), try await byHand())
        #expect(macros.nodes == hand.nodes)
        #expect(macros.graph == hand.graph)
        for edge in [
            "capability Shipping → capability Scale", "client CartClient → capability Shipping",
            "context CartContext → client CartClient", "context CartContext → client ActivityClient",
            "context CartContext → context TotalContext", "context TotalContext → client CartClient",
        ] { #expect(macros.graph.contains(edge)) }
        #expect(macros.output == hand.output.map { $0.replacing("HandwrittenCart.", with: "Cart.") })
        #expect(macros.page.count > 100)
        expectEqual(macros.page, hand.page)
    }

    @Test("The names and indices of cases are those that reflection finds")
    func names() {
        let actions: [Cart.CartAction] = [.add(article: "", quantity: 1), .remove(article: ""), .default, .order]
        #expect(Cart.CartAction.caseNames == ["add", "remove", "default", "order"])
        #expect(actions.map(\.caseIndex) == [0, 1, 2, 3])
        #expect(Cart.CartIntent.caseNames == HandwrittenCart.CartIntent.caseNames)
        #expect(Cart.CartIntent.look.caseIndex == HandwrittenCart.CartIntent.look.caseIndex)
        #expect(Reflected.caseNames == ["default", "other"])
    }

    /// The names of reflection have no back-ticks either.
    private enum Reflected: Action {
        case `default`
        case other
    }

    @Test("Valid routes pass the check that the macro writes")
    func routes() throws {
        try Cart.ShopRoute.validateRoutes()
        try HandwrittenCart.ShopRoute.validateRoutes()
    }
}
