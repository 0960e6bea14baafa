// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The root of the checkout: who buys, what, and how it is paid.
@MainActor
@Observable
final class CheckoutContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    let user: UserContext
    let cart: CartContext
    let payment: PaymentContext
    private(set) var ordersPlaced = 0

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        user = try scope.context(UserContext.self)
        cart = try scope.context(CartContext.self)
        payment = try scope.context(PaymentContext.self)
        ledger.roll.created(Self.componentName, self)
    }

    func perform(_ intent: CheckoutIntent) async throws {
        switch intent {
        case .user(let intent): try await pass(intent, to: user)
        case .cart(let intent): try await pass(intent, to: cart)
        case .payment(let intent): try await pass(intent, to: payment)
        case .placeOrder(let customer): try await placeOrder(customer)
        }
    }

    /// Signs in, prices, pays, empties the cart; stops at the step that fails, whose boundary shows why.
    private func placeOrder(_ customer: String) async throws {
        try await pass(.signIn(customer: customer), to: user)
        guard user.errorBoundary.current == nil else { return }
        try await pass(.price, to: cart)
        // Nobody pays a price from before.
        guard cart.pricing.errorBoundary.current == nil, !cart.pricing.isStale else { return }
        try await pass(.pay, to: payment)
        guard payment.errorBoundary.current == nil else { return }
        try await pass(.clear, to: cart)
        ordersPlaced += 1
    }
}
