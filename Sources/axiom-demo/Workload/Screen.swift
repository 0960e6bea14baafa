// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Everything that can be shown, each by a presentation of its own.
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
    /// - Throws: What the mounting throws.
    @MainActor
    func open(at counter: Counter) async throws -> any Window {
        switch self {
        case .appNavigation: try await ShopWindow<AppNavigationView>(at: counter)
        case .home: try await ShopWindow<HomeView>(at: counter)
        case .settings: try await ShopWindow<SettingsView>(at: counter)
        case .profile: try await ShopWindow<ProfileView>(at: counter)
        case .notification: try await ShopWindow<NotificationView>(at: counter)
        case .checkout: try await ShopWindow<CheckoutView>(at: counter)
        case .user: try await ShopWindow<UserView>(at: counter)
        case .cart: try await ShopWindow<CartView>(at: counter)
        case .pricing: try await ShopWindow<PricingView>(at: counter)
        case .payment: try await ShopWindow<PaymentView>(at: counter)
        }
    }
}
