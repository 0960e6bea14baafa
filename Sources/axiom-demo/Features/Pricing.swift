// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import AxiomStorage
internal import Observation

/// The price of the lines of a cart.
struct Quote: Codable, Hashable, Sendable {
    let lines: [CartLine]
    /// In cents, tax included.
    let total: Int
    /// In cents, included in the total.
    let tax: Int
}

/// An entry of the catalogue.
struct Product: Codable, Hashable, Sendable {
    let article: String
    /// In cents, tax included.
    let price: Int
}

/// The actions of pricing.
enum PricingAction: Action, Hashable {
    case quote([CartLine])
    case reset
}

/// The latest quote.
struct PricingState: OwnedState {
    var quote: Quote?
    /// The products of the quote that the catalogue knows, in the order of its lines.
    var products: [Product] = []
}

/// Asks the server for prices. The catalogue is cached: while the server fails, its old entries are good enough. A task in the
/// background keeps the products of the latest quote up to date.
actor PricingClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PricingState>
    private let network: CapabilityRef<any Network>
    private let tasks: CapabilityRef<BackgroundTasks>
    private let catalogue: Cache<String, Product>
    private let policy: Policy

    /// - Parameters:
    ///   - catalogue: The products by article.
    ///   - policy: Protects each request for a product.
    init(_ scope: borrowing ClientScope, catalogue: Cache<String, Product>, policy: Policy) throws {
        identity = scope.identity
        (self.catalogue, self.policy) = (catalogue, policy)
        store = scope.store(PricingState())
        network = try scope.capability((any Network).self)
        tasks = try scope.capability(BackgroundTasks.self)
    }

    var state: PricingState { store.state }
    nonisolated var stateStream: StateStream<PricingState> { store.stream }

    func activate() async throws {
        try await tasks.call { tasks in
            try await tasks.schedule("products", every: .seconds(2)) { [weak self] in await self?.refreshProducts() }
        }
    }

    func process(_ action: PricingAction) async throws {
        switch action {
        case .quote(let lines):
            async let products = products(of: lines)
            let quote = try await network.call { try await $0.post("/prices", lines, answer: Quote.self) }
            let known = await products
            store.update { $0 = PricingState(quote: quote, products: known) }
        case .reset:
            store.update { $0 = PricingState() }
        }
    }

    private func refreshProducts() async {
        guard let quote = store.state.quote else { return }
        let products = await products(of: quote.lines)
        store.update { if $0.quote == quote { $0.products = products } }
    }

    /// The entries of the catalogue, without those that neither the server nor the cache has.
    private func products(of lines: [CartLine]) async -> [Product] {
        var products: [Product] = []
        for line in lines {
            let answer = await catalogue.answer(for: line.article) { [network, policy] in
                var request = NetworkRequest(method: "GET", path: "/products/\(line.article)")
                request.isBackground = true
                let body = try await policy.run { [request] in try await network.call { try await $0.send(request) } }
                return try ShopJSON.decode(Product.self, from: body)
            }
            if let product = answer.value { products.append(product) }
        }
        return products
    }
}

/// Shows the price of the cart.
@MainActor
@Observable
final class PricingContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var quote: Quote?
    private(set) var products: [Product] = []
    /// Whether the quote is an old one, because the server did not give a new one.
    private(set) var isStale = false
    /// Whether the current action asks for a quote.
    private var isQuoting = false
    private let client: any Client<PricingState, PricingAction>

    init(_ scope: borrowing ContextScope, client: any Client<PricingState, PricingAction>) {
        identity = scope.identity
        self.client = client
    }

    func onAppear() async throws {
        observe(client) { ($0.quote, $0.products) = ($1.quote, $1.products) }
    }

    func handle(_ action: PricingAction) async throws {
        isQuoting = if case .quote = action { true } else { false }
        try await client.process(action)
        isStale = false
    }

    /// A quote changes nothing on the server, so a failed request is repeated once. A refused one is not: the circuit
    /// breaker gives the server time to recover. After that, an old quote is better than none.
    func recovery(for error: any Error) -> RecoveryStrategy {
        guard error.isServerFailure, isQuoting else { return .surface }
        let fallback = RecoveryStrategy("fallback") { [self] operation in
            guard quote != nil else { throw operation.error }
            isStale = true
        }
        if error is CircuitError { return fallback }
        return .retry(attempts: 2, backoff: .constant(.milliseconds(50))).otherwise(fallback)
    }
}

/// The price of the cart.
struct PricingView: Presentation {
    let context: PricingContext

    var body: String {
        TextBlock.render(
            "Price\(TextBlock.mark(stale: context.isStale))",
            context,
            context.quote.map { "\(TextBlock.money($0.total)), tax \(TextBlock.money($0.tax))" } ?? "not asked yet",
            context.products.map { "\($0.article): \(TextBlock.money($0.price)) each" }.joined(separator: "\n")
        )
    }
}
