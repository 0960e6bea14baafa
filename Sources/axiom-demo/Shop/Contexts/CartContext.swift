// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What lies in the cart.
@MainActor
@Observable
final class CartContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    let pricing: PricingContext
    private(set) var lines: [CartLine] = []
    private let client: BookedClient<CartAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        pricing = try scope.context(PricingContext.self)
        let client = try scope.client(CartClient.self)
        self.client = BookedClient(client, CartClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(client) { $0.lines = $1.lines }
    }

    /// The application may not come back from the background.
    func onBackground() async throws {
        try await client.process(.save)
    }

    func perform(_ intent: CartIntent) async throws {
        switch intent {
        case .add(let article, let quantity): try await client.process(.add(article: article, quantity: quantity))
        case .remove(let article): try await client.process(.remove(article: article))
        case .clear: try await client.process(.clear)
        case .price: try await pass(.quote(lines), to: pricing)
        }
    }
}
