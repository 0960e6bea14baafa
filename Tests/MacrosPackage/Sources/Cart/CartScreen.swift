// SPDX-License-Identifier: Apache-2.0

package import AxiomMacros
import AxiomNavigation
import Observation

/// What a person does with the cart.
@AxiomAction
package enum CartIntent {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case reset
    case order
    #if Refunds
    case refund
    #endif
    case look
}

/// Shows the cart, and the number of its articles below it.
@AxiomContext
@Observable
@MainActor
package final class CartContext {
    @Client private let cart: ClientOf<CartClient>
    @Client(ActivityClient.self) private let activity: any StatelessClient<ActivityAction>
    @Downstream package let total: TotalContext
    @Observes(CartClient.self, \.lines) package private(set) var lines: [CartLine] = []
    package private(set) var title = "Cart"

    @Observes(CartClient.self)
    private func entitle(_ state: CartState) {
        title = "Cart, \(state.orders) orders"
    }

    package func handle(_ intent: CartIntent) async throws {
        switch intent {
        case .add(let article, let quantity): try await cart.process(.add(article: article, quantity: quantity))
        case .remove(let article): try await cart.process(.remove(article: article))
        case .reset: try await cart.process(.default)
        case .order:
            try await cart.process(.order)
            try await activity.process(.record("ordered"))
        case .look: try await activity.process(.record("looked"))
        }
    }
}

/// Shows the number of articles. It begins its observation itself, because it does more when it appears.
@AxiomContext
@Observable
@MainActor
package final class TotalContext {
    @Client private let cart: ClientOf<CartClient>
    @Observes(CartClient.self, \.lines.count) package private(set) var count = 0
    package private(set) var appearances = 0

    package func onAppear() async throws {
        observeClients()
        appearances += 1
    }
}

/// The cart.
package struct CartView: Presentation {
    package let context: CartContext

    package init(context: CartContext) {
        self.context = context
    }

    package var body: String { "\(context.title): \(context.lines.count), \(context.total.count)" }
}

/// The screens of the shop.
@ValidateRoutes
package enum ShopRoute: Route {
    case cart
    case article(String)

    package var identifier: String {
        switch self {
        case .cart: "cart"
        case .article: "article"
        }
    }

    package static let samples: [ShopRoute] = [.cart, .article("tea")]
}

/// Registers the components of the shop.
@MainActor
package func register(in orchestrator: Orchestrator) {
    orchestrator.register(Scale.self) { Scale($0) }
    orchestrator.register(Shipping.self) { try Shipping($0) }
    orchestrator.register(CartClient.self) { try CartClient($0) }
    orchestrator.register(ActivityClient.self) { ActivityClient($0) }
    orchestrator.register(CartContext.self) { try CartContext($0) }
    orchestrator.register(TotalContext.self) { try TotalContext($0) }
}
