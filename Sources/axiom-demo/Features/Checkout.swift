// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does at the checkout.
enum CheckoutIntent: Action, Hashable {
    case user(UserAction)
    case cart(CartIntent)
    case placeOrder(customer: String)
}

/// The root of the checkout: who buys, and what.
@MainActor
@Observable
final class CheckoutContext: Context {
    nonisolated let identity: ComponentIdentity
    let user: UserContext
    let cart: CartContext
    private(set) var ordersPlaced = 0

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        user = try scope.context(UserContext.self)
        cart = try scope.context(CartContext.self)
    }

    func handle(_ intent: CheckoutIntent) async throws {
        switch intent {
        case .user(let intent): try await forward(intent, to: user)
        case .cart(let intent): try await forward(intent, to: cart)
        case .placeOrder(let customer): try await placeOrder(customer)
        }
    }

    /// Signs in, prices the cart, and orders it. Without a connection the first two steps fail, and their contexts show it; the
    /// order waits in a queue until the server can be reached.
    private func placeOrder(_ customer: String) async throws {
        try await forward(.signIn(customer: customer), to: user)
        try await forward(.price, to: cart)
        guard !cart.lines.isEmpty else { return }
        try await forward(.order(customer: customer), to: cart)
        if cart.errorBoundary.current == nil { ordersPlaced += 1 }
    }
}

extension FeatureFlag where Value == Bool {
    /// Whether the checkout says that its prices include the tax.
    static let taxNotice = FeatureFlag("tax-notice", fallback: false)
}

/// The checkout.
struct CheckoutView: Presentation {
    let context: CheckoutContext

    var body: String {
        TextBlock.render(
            "Checkout, \(context.ordersPlaced) orders placed\(context.isEnabled(.taxNotice) ? ", taxes included" : "")",
            context,
            UserView(context: context.user).body,
            CartView(context: context.cart).body
        )
    }
}
