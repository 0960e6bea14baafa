// SPDX-License-Identifier: Apache-2.0

// The examples of Documentation/testing-telemetry.md. A test compares the two.

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomTesting
import Observation
import Testing

/// The state of the cart.
struct CartState: OwnedState {
    var items: [String] = []
}

enum CartAction: Action {
    case add(String)
    case pay
}

struct CardRefused: Error {}

actor CartClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<CartState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(CartState())
    }

    var state: CartState { store.state }
    nonisolated var stateStream: StateStream<CartState> { store.stream }

    func process(_ action: CartAction) async throws {
        switch action {
        case .add(let item): store.update { $0.items.append(item) }
        case .pay: throw CardRefused()
        }
    }
}

@MainActor
@Observable
final class CartContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var items: [String] = []
    @ObservationIgnored private let cart: any Client<CartState, CartAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        cart = try scope.client(CartClient.self)
    }

    func onAppear() async { observe(cart) { $0.items = $1.items } }

    func handle(_ action: CartAction) async throws { try await cart.process(action) }
}

struct CartView: Presentation {
    let context: CartContext
    var body: String { context.items.joined(separator: ", ") }
}

/// A running shop with an observer.
@MainActor
struct CartApp {
    let time = ManualTime()
    let telemetry: Telemetry
    let orchestrator: Orchestrator
    let host: PresentationHost<CartView>

    init() async throws {
        let clock = TimeSource.manual(time)
        telemetry = try Telemetry(budgets: [.confirm(.clientAction)], clock: clock)
        orchestrator = Orchestrator(instrumentation: telemetry, clock: clock)
        orchestrator.register(CartClient.self) { CartClient($0) }
        orchestrator.register(CartContext.self) { try CartContext($0) }
        try await orchestrator.start()
        host = PresentationHost(CartView.self, orchestrator) { _ in }
    }
}

@Suite("The cart")
@MainActor
struct CartTests {
    @Test("A payment that is refused ends as an error of the client")
    func refusal() async throws {
        let app = try await CartApp()
        try await app.host.mount()
        let cart = try #require(app.host.context)

        let telemetry = TelemetryAssertions(app.telemetry, of: app.orchestrator, exhaustive: .standard)
        await cart.send(.add("tea"))
        telemetry.expect(
            .action("add", of: CartContext.self),
            .action("add", of: CartClient.self, .success, count: 1, within: .clientAction),
            .state(of: CartClient.self)
        )
        telemetry.checkpoint()

        await cart.send(.pay)
        telemetry.expect(
            .action("pay", of: CartContext.self, .failure),
            .action("pay", of: CartClient.self, .failure),
            .error("CardRefused", in: CartClient.self)
        )
        telemetry.finish()
    }

    @Test("An item reaches the client")
    func trace() async throws {
        let app = try await CartApp()
        try await app.host.mount()
        let cart = try #require(app.host.context)
        let telemetry = TelemetryAssertions(app.telemetry, of: app.orchestrator)

        await telemetry.expectTrace(
            """
            context CartContext.add
              client CartClient.add
                state CartClient
            context CartContext.pay: failure CardRefused
              client CartClient.pay: failure CardRefused
            """
        ) {
            await cart.send(.add("tea"))
            await cart.send(.pay)
        }
    }

    @Test("The page of metrics is the one that was reviewed")
    func page() async throws {
        let app = try await CartApp()
        let telemetry = TelemetryAssertions(app.telemetry, of: app.orchestrator)

        await telemetry.expectPage("Golden/cart.prom", masking: [.only("axiom_client_", "axiom_circuit_"), .durations])
    }

    @Test("A cart that is closed is released")
    func leaks() async throws {
        let app = try await CartApp()
        let telemetry = TelemetryAssertions(app.telemetry, of: app.orchestrator)

        try await telemetry.expectNoLeaks(of: CartContext.self, cycles: 1_000) {
            try await app.host.mount()
            await app.host.unmount()
        }

        try await app.host.mount()
        weak let context = app.host.context
        await app.host.unmount()
        await expectDestroyed(weak: context)
    }

    @Test("Adding items stays within the budget")
    func budgets() async throws {
        let app = try await CartApp()
        try await app.host.mount()
        let cart = try #require(app.host.context)
        let telemetry = TelemetryAssertions(app.telemetry, of: app.orchestrator)

        for item in ["tea", "milk"] { await cart.send(.add(item)) }
        telemetry.expectWithinBudgets(.clientAction)
    }
}
#endif
