// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Draws the intents of shoppers at random.
enum Habits {
    private static let customers = ["ada", "grace", "edsger", "barbara", "tony"]
    private static let names = ["Ada", "Countess", "Grace", "Admiral", "Edsger", "Barbara", "Tony"]

    /// The name with which a shopper signs in.
    static func customer(ofShopper index: Int) -> String { customers[index % customers.count] }

    /// An intent for `screen`.
    static func intent(for screen: Screen, using generator: inout SeededGenerator) -> Intent {
        switch screen {
        case .appNavigation: .appNavigation(appNavigation(&generator))
        case .home: .home(home(&generator))
        case .settings: .settings(settings(&generator))
        case .profile: .profile(profile(&generator))
        case .notification: .notification(notification(&generator))
        case .checkout: .checkout(checkout(&generator))
        case .user: .user(user(&generator))
        case .cart: .cart(cart(&generator))
        case .pricing: .pricing(pricing(&generator))
        case .payment: .payment(payment(&generator))
        }
    }

    private static func appNavigation(_ generator: inout SeededGenerator) -> AppNavigationIntent {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .open(any(Page.allCases, &generator) ?? .home)
        case 1: .settings(settings(&generator))
        default: .home(home(&generator))
        }
    }

    private static func home(_ generator: inout SeededGenerator) -> HomeIntent {
        Bool.random(using: &generator)
            ? .refresh(customer: customer(&generator)) : .notifications(notification(&generator))
    }

    private static func settings(_ generator: inout SeededGenerator) -> SettingsIntent {
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: .silence
        default: .rename(customer: customer(&generator), to: any(names, &generator) ?? "")
        }
    }

    private static func profile(_ generator: inout SeededGenerator) -> ProfileIntent {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .rename(customer: customer(&generator), to: any(names, &generator) ?? "")
        default: .show(customer: customer(&generator))
        }
    }

    private static func notification(_ generator: inout SeededGenerator) -> NotificationIntent {
        switch Int.random(in: 0..<6, using: &generator) {
        case 0: .markAllRead
        case 1, 2: .markRead(Int.random(in: 1...5, using: &generator))
        default: .refresh(customer: customer(&generator))
        }
    }

    private static func checkout(_ generator: inout SeededGenerator) -> CheckoutIntent {
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: .user(user(&generator))
        case 1: .payment(payment(&generator))
        case 2: .placeOrder(customer: customer(&generator))
        default: .cart(cart(&generator))
        }
    }

    private static func user(_ generator: inout SeededGenerator) -> UserIntent {
        switch Int.random(in: 0..<4, using: &generator) {
        case 0: .signOut
        default: .signIn(customer: customer(&generator))
        }
    }

    private static func cart(_ generator: inout SeededGenerator) -> CartIntent {
        switch Int.random(in: 0..<20, using: &generator) {
        case 0: .clear
        case 1, 2: .remove(article: article(&generator))
        case 3...7: .price
        default: .add(article: article(&generator), quantity: Int.random(in: 1...3, using: &generator))
        }
    }

    private static func pricing(_ generator: inout SeededGenerator) -> PricingIntent {
        switch Int.random(in: 0..<5, using: &generator) {
        case 0: .reset
        default: .quote([CartLine(article: article(&generator), quantity: Int.random(in: 1...9, using: &generator))])
        }
    }

    private static func payment(_ generator: inout SeededGenerator) -> PaymentIntent {
        Bool.random(using: &generator) ? .pay : .loadTotal
    }

    private static func customer(_ generator: inout SeededGenerator) -> String {
        any(customers, &generator) ?? ""
    }

    private static func article(_ generator: inout SeededGenerator) -> String {
        any(ShopRoute.articles, &generator) ?? ""
    }

    private static func any<Value>(_ values: [Value], _ generator: inout SeededGenerator) -> Value? {
        values.randomElement(using: &generator)
    }
}
