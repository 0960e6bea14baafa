// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What a shopper means to do with the screen before them.
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

    /// What the screen's context is sent.
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
    /// The action's type and case, as in `CartIntent.add`, and never what it carries.
    var description: String { Self.name(of: action) }

    private static func name<A: Action>(of action: A) -> String {
        let names = A.caseNames
        return "\(A.self).\(names.indices.contains(action.caseIndex) ? names[action.caseIndex] : "other")"
    }
}
