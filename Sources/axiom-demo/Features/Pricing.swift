// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage

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

/// The actions of pricing. Frequent, so their names are written by hand.
enum PricingAction: Action {
    case quote([CartLine])
    case reset

    static let caseNames = ["quote", "reset"]

    var caseIndex: Int {
        switch self {
        case .quote: 0
        case .reset: 1
        }
    }
}

/// The latest quote.
struct PricingState: OwnedState {
    var quote: Quote?
    /// The products of the quote that the catalogue knows, in the order of its lines.
    var products: [Product] = []
}

/// Asks the server for prices. The catalogue is cached: while the server fails, its old entries are good enough.
actor PricingClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PricingState>
    private let network: CapabilityRef<any Network>

    private let catalogue: Cache<String, Product>

    /// - Parameter catalogue: The products by article.
    init(_ scope: borrowing ClientScope, catalogue: Cache<String, Product>) throws {
        identity = scope.identity
        self.catalogue = catalogue
        store = scope.store(PricingState())
        network = try scope.capability((any Network).self)
    }

    var state: PricingState { store.state }
    nonisolated var stateStream: StateStream<PricingState> { store.stream }

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

    /// The entries of the catalogue, without those that neither the server nor the cache has.
    private func products(of lines: [CartLine]) async -> [Product] {
        var products: [Product] = []
        for line in lines {
            let answer = await catalogue.answer(for: line.article) { [network] in
                var request = NetworkRequest(method: "GET", path: "/products/\(line.article)")
                request.toleratesFailure = true
                let body = try await network.call { [request] in try await $0.send(request) }
                return try JSON.decode(Product.self, from: body)
            }
            if let product = answer.value { products.append(product) }
        }
        return products
    }
}
