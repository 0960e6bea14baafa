// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The screens that a shopper can open.
enum Screen: String, Hashable, Sendable, CaseIterable {
    case appNavigation
    case home
    case settings
    case profile
    case notification
    case checkout
    case user
    case cart
    case pricing
    case payment
}

extension Screen {
    /// The route of the screen; of the prices, that of the product with this number.
    func route(product number: Int) -> ShopRoute {
        switch self {
        case .appNavigation: .shop
        case .home: .home
        case .settings: .settings
        case .profile: .profile
        case .notification: .inbox
        case .checkout: .checkout
        case .user: .signIn(returnTo: nil)
        case .cart: .cart
        case .pricing: .product(number)
        case .payment: .payment
        }
    }
}

/// What a shopper does with the open screen.
enum Intent: Hashable, Sendable {
    case appNavigation(AppNavigationIntent)
    case home(HomeIntent)
    case settings(SettingsIntent)
    case profile(ProfileIntent)
    case notification(NotificationIntent)
    case checkout(CheckoutIntent)
    case user(UserIntent)
    case cart(CartIntent)
    case pricing(PricingIntent)
    case payment(PaymentIntent)

    /// The action that the screen's context gets.
    var action: any Action {
        switch self {
        case .appNavigation(let action): action
        case .home(let action): action
        case .settings(let action): action
        case .profile(let action): action
        case .notification(let action): action
        case .checkout(let action): action
        case .user(let action): action
        case .cart(let action): action
        case .pricing(let action): action
        case .payment(let action): action
        }
    }
}

extension Intent: CustomStringConvertible {
    /// The action's type and case, as in `CartIntent.add`, without its values.
    var description: String { Self.name(of: action) }

    private static func name<A: Action>(of action: A) -> String {
        let names = A.caseNames
        return "\(A.self).\(names.indices.contains(action.caseIndex) ? names[action.caseIndex] : "other")"
    }
}
