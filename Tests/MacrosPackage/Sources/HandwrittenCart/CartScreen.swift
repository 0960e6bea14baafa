// SPDX-License-Identifier: Apache-2.0

package import Axiom
import AxiomNavigation
import Observation

/// What a person does with the cart.
package enum CartIntent: Action {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case reset
    case order
    #if Refunds
    case refund
    #endif
    case look

    package static let caseNames: [String] = {
        var names = ["add", "remove", "reset", "order"]
        #if Refunds
        names.append("refund")
        #endif
        return names + ["look"]
    }()

    package var caseIndex: Int {
        #if Refunds
        let refunds = 1
        #else
        let refunds = 0
        #endif
        switch self {
        case .add: return 0
        case .remove: return 1
        case .reset: return 2
        case .order: return 3
        #if Refunds
        case .refund: return 4
        #endif
        case .look: return 4 + refunds
        }
    }
}

/// Shows the cart, and the number of its articles below it.
@MainActor
@Observable
package final class CartContext: Context {
    package nonisolated let identity: ComponentIdentity
    private let cart: any Client<CartState, CartAction>
    private let activity: any StatelessClient<ActivityAction>
    package let total: TotalContext
    package private(set) var lines: [CartLine] = []
    package private(set) var title = "Cart"

    package init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        cart = try scope.client(CartClient.self)
        activity = try scope.client(ActivityClient.self)
        total = try scope.context(TotalContext.self)
    }

    package func onAppear() async throws {
        observe(cart) { context, state in
            context.lines = state.lines
            context.entitle(state)
        }
    }

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
@MainActor
@Observable
package final class TotalContext: Context {
    package nonisolated let identity: ComponentIdentity
    private let cart: any Client<CartState, CartAction>
    package private(set) var count = 0
    package private(set) var appearances = 0

    package init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        cart = try scope.client(CartClient.self)
    }

    package func onAppear() async throws {
        observe(cart) { context, state in context.count = state.lines.count }
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

    package static func validateRoutes() throws {
        try RouteValidator.validate(Self.self)
    }
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
