// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The screens that a shopper can open, each with a presentation of its own.
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
    /// Opens a window that shows this screen.
    ///
    /// - Throws: As `PresentationHost.mount()`.
    @MainActor
    func open(for visit: Visit) async throws -> any Window {
        switch self {
        case .appNavigation: try await ShopWindow<AppNavigationView>(visit)
        case .home: try await ShopWindow<HomeView>(visit)
        case .settings: try await ShopWindow<SettingsView>(visit)
        case .profile: try await ShopWindow<ProfileView>(visit)
        case .notification: try await ShopWindow<NotificationView>(visit)
        case .checkout: try await ShopWindow<CheckoutView>(visit)
        case .user: try await ShopWindow<UserView>(visit)
        case .cart: try await ShopWindow<CartView>(visit)
        case .pricing: try await ShopWindow<PricingView>(visit)
        case .payment: try await ShopWindow<PaymentView>(visit)
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
