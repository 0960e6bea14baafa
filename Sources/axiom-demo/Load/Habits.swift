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
        let home = draw.any(of: HomeContext.actions(&draw))
        return [
            .open(draw.any(of: Page.allCases)), .settings(draw.any(of: SettingsContext.actions(&draw))), .home(home),
            .home(home),
        ]
    }
}

extension HomeContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [HomeIntent] {
        [.refresh(customer: draw.customer), .notifications(draw.any(of: NotificationContext.actions(&draw)))]
    }
}

extension SettingsContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [SettingsIntent] {
        let rename = SettingsIntent.rename(customer: draw.customer, to: draw.name)
        return [.silence, rename, rename]
    }
}

extension ProfileContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [ProfileIntent] {
        let show = ProfileIntent.show(customer: draw.customer)
        return [.rename(customer: draw.customer, to: draw.name), show, show, show]
    }
}

extension NotificationContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [NotificationIntent] {
        let (refresh, read) = (NotificationIntent.refresh(customer: draw.customer), draw.number(1...5))
        return [.markAllRead, .markRead(read), .markRead(read), refresh, refresh, refresh]
    }
}

extension CheckoutContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [CheckoutIntent] {
        let cart = CheckoutIntent.cart(draw.any(of: CartContext.actions(&draw)))
        return [
            .user(draw.any(of: UserContext.actions(&draw))), .payment(draw.any(of: PaymentContext.actions(&draw))),
            .placeOrder(customer: draw.customer), cart, cart, cart, cart, cart,
        ]
    }
}

extension UserContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [UserIntent] {
        let signIn = UserIntent.signIn(customer: draw.customer)
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
    static func actions(_ draw: inout Draw) -> [PricingIntent] {
        let quote = PricingIntent.quote([CartLine(article: draw.article, quantity: draw.number(1...9))])
        return [.reset, quote, quote, quote, quote]
    }
}

extension PaymentContext: UsedContext {
    static func actions(_ draw: inout Draw) -> [PaymentIntent] { [.pay, .loadTotal] }
}
