// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation
internal import Observation

/// One article in the cart.
struct CartLine: Codable, Hashable, Sendable {
    let article: String
    var quantity: Int
}

/// What a customer buys. The server prices and charges it when it applies the order.
struct Order: Codable, Hashable, Sendable {
    let id: UUID
    let customer: String
    let lines: [CartLine]
}

/// The actions of the cart.
enum CartAction: Action {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case clear
    case order(Order)
}

/// The contents of the cart.
struct CartState: OwnedState, Codable {
    /// The maximum quantity of one article.
    static let maximumQuantity = 99

    var lines: [CartLine] = []

    /// Adds to the quantity of an article, up to ``maximumQuantity``.
    mutating func add(_ article: String, _ quantity: Int) {
        if let index = lines.firstIndex(where: { $0.article == article }) {
            lines[index].quantity = min(Self.maximumQuantity, lines[index].quantity + quantity)
        } else {
            lines.append(CartLine(article: article, quantity: min(Self.maximumQuantity, quantity)))
        }
    }

    /// Takes the lines of an order out. What was added since the customer saw the cart stays.
    mutating func take(_ order: Order) {
        for line in order.lines {
            guard let index = lines.firstIndex(where: { $0.article == line.article }) else { continue }
            lines[index].quantity -= line.quantity
        }
        lines.removeAll { $0.quantity <= 0 }
    }
}

/// The cart, which outlives the process, and the orders that are made of it.
///
/// An order is sent at once if the server answers, and otherwise when it does again, also after a restart. Its id is its
/// idempotency key: the server ignores a key that it has seen, so each order is applied once.
actor CartClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<CartState>
    private let outbox: Outbox
    private let engine: SyncEngine

    init(_ scope: borrowing ClientScope, clock: TimeSource) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        let network = try scope.capability((any Network).self)
        store = scope.persistentStore(CartState(), "cart", in: storage)
        outbox = try Outbox("orders", in: storage, clock: clock)
        var options = SyncOptions()
        // The waits are short because a person watches the demo for a minute.
        options.backoff = .exponential(base: .milliseconds(200), cap: .seconds(2))
        let breaker = CircuitBreakerConfiguration(
            consecutiveFailures: 3,
            openDuration: .milliseconds(500),
            openDurationCap: .seconds(1)
        )
        engine = try SyncEngine(
            scope,
            outbox,
            connection: .capability(network),
            options: options,
            breaker: try CircuitBreaker(name: "orders", breaker, clock: clock)
        ) { change in
            var request = NetworkRequest(method: "POST", path: "/orders", body: change.payload)
            request.headers["Idempotency-Key"] = change.id.uuidString
            request.isBackground = true
            _ = try await network.call { [request] in try await $0.send(request) }
            return .accepted
        }
    }

    var state: CartState { store.state }
    nonisolated var stateStream: StateStream<CartState> { store.stream }

    func activate() async throws {
        try await store.load()
        try await engine.start()
    }

    func deactivate() async {
        await engine.stop()
    }

    func process(_ action: CartAction) async throws {
        switch action {
        case .add(let article, let quantity): store.update { $0.add(article, quantity) }
        case .remove(let article): store.update { $0.lines.removeAll { $0.article == article } }
        case .clear: store.update { $0.lines = [] }
        case .order(let order):
            // The order is durable when this returns.
            try await outbox.append("order.place", try ShopJSON.encode(order), key: order.customer, id: order.id)
            store.update(.critical) { $0.take(order) }
        }
    }
}

/// What a person does with the cart.
enum CartIntent: Action, Hashable {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case clear
    case price
    /// Orders the contents of the cart.
    case order(customer: String)
}

/// Shows the cart, and its price below it.
@MainActor
@Observable
final class CartContext: Context {
    nonisolated let identity: ComponentIdentity
    let pricing: PricingContext
    private(set) var lines: [CartLine] = []
    private let client: any Client<CartState, CartAction>

    init(_ scope: borrowing ContextScope, client: any Client<CartState, CartAction>) throws {
        identity = scope.identity
        self.client = client
        pricing = try scope.context(PricingContext.self)
    }

    func onAppear() async throws {
        observe(client) { $0.lines = $1.lines }
    }

    /// An order is placed, even if the customer leaves the screen.
    static func outlivesContext(_ intent: CartIntent) -> Bool {
        if case .order = intent { true } else { false }
    }

    func handle(_ intent: CartIntent) async throws {
        switch intent {
        case .add(let article, let quantity): try await client.process(.add(article: article, quantity: quantity))
        case .remove(let article): try await client.process(.remove(article: article))
        case .clear: try await client.process(.clear)
        case .price: try await forward(.quote(lines), to: pricing)
        case .order(let customer):
            guard !lines.isEmpty else { return }
            try await client.process(.order(Order(id: UUID(), customer: customer, lines: lines)))
        }
    }
}

/// The cart.
struct CartView: Presentation {
    let context: CartContext

    var body: String {
        TextBlock.render(
            "Cart",
            context,
            context.lines.map { "\($0.quantity) × \($0.article)" }.joined(separator: "\n"),
            PricingView(context: context.pricing).body
        )
    }
}
