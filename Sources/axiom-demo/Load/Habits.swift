// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// A context that shoppers use.
protocol UsedContext: Context {
    /// What a shopper may do, each as often in the list as it is likely.
    static func actions(_ draw: inout Draw) -> [ActionType]
}

/// Draws the values of actions at random.
struct Draw {
    private static let customers = ["ada", "grace", "edsger", "barbara", "tony"]

    var generator: SeededGenerator

    var customer: String { mutating get { any(of: Self.customers) } }
    var name: String { mutating get { any(of: ["Ada", "Countess", "Grace", "Admiral", "Edsger", "Barbara", "Tony"]) } }
    var article: String { mutating get { any(of: ShopRoute.articles) } }

    /// One of some values, of which there is at least one.
    mutating func any<Value>(of values: [Value]) -> Value { values[Int.random(in: values.indices, using: &generator)] }

    mutating func number(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &generator) }

    mutating func happens(_ share: Double) -> Bool { Double.random(in: 0..<1, using: &generator) < share }

    /// The name with which a shopper signs in.
    static func customer(ofShopper index: Int) -> String { customers[index % customers.count] }
}

extension AppNavigationContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [AppNavigationIntent] {
        let home = AppNavigationIntent.home(draw.any(of: HomeContext.actions(&draw)))
        return [.browse(article: draw.article), home, home, home]
    }
}

extension HomeContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [HomeIntent] {
        let price = HomeIntent.price([CartLine(article: draw.article, quantity: 1)])
        return [price, .profile(draw.any(of: ProfileContext.actions(&draw)))]
    }
}

extension ProfileContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [ProfileAction] {
        let load = ProfileAction.load(customer: draw.customer)
        return [.rename(customer: draw.customer, to: draw.name), load, load, load]
    }
}

extension CheckoutContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [CheckoutIntent] {
        let cart = CheckoutIntent.cart(draw.any(of: CartContext.actions(&draw)))
        let user = CheckoutIntent.user(draw.any(of: UserContext.actions(&draw)))
        return [user, .placeOrder(customer: draw.customer), cart, cart, cart, cart, cart]
    }
}

extension UserContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [UserAction] {
        let signIn = UserAction.signIn(customer: draw.customer)
        return [.signOut, signIn, signIn, signIn]
    }
}

extension CartContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [CartIntent] {
        let add = CartIntent.add(article: draw.article, quantity: draw.number(1...3))
        return [.clear, .remove(article: draw.article), .remove(article: draw.article)]
            + Array(repeating: .price, count: 5) + Array(repeating: add, count: 12)
    }
}

extension PricingContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [PricingAction] {
        let quote = PricingAction.quote([CartLine(article: draw.article, quantity: draw.number(1...9))])
        return [.reset, quote, quote, quote, quote]
    }
}
