// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Foundation
internal import Observation

/// What a person does with the cart. Frequent, so its names are written by hand.
enum CartIntent: Action, Hashable {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case clear
    case price
    /// Orders the contents of the cart.
    case order(customer: String)

    static let caseNames = ["add", "remove", "clear", "price", "order"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .clear: 2
        case .price: 3
        case .order: 4
        }
    }
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
        observe(client) { $0.lines = $1.lines }
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
