// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomNavigation

/// The destinations of the shop.
indirect enum ShopRoute: Route, Codable {
    /// The entrance, at the bottom of each history.
    case shop
    case home
    case settings
    case profile
    case inbox
    /// The price of the product with this number.
    case product(Int)
    case cart
    case checkout
    case payment
    /// The sign-in, and the route that is wanted after it, if there is one.
    case signIn(returnTo: ShopRoute?)

    var identifier: String {
        switch self {
        case .shop: "shop"
        case .home: "home"
        case .settings: "settings"
        case .profile: "profile"
        case .inbox: "inbox"
        case .product: "product"
        case .cart: "cart"
        case .checkout: "checkout"
        case .payment: "payment"
        case .signIn: "sign_in"
        }
    }

    var metadata: RouteMetadata {
        switch self {
        case .profile, .checkout, .payment: RouteMetadata(requiresAuthentication: true)
        default: RouteMetadata()
        }
    }

    static let samples: [ShopRoute] = [
        .shop, .home, .settings, .profile, .inbox, .product(1), .cart, .checkout, .payment, .signIn(returnTo: nil),
    ]

    /// The products, which are numbered from 1.
    static let articles = ["tea", "coffee", "bread", "honey", "apples", "cheese", "noodles", "chocolate"]

    /// The article with this number; nil if there is none.
    static func article(_ number: Int) -> String? {
        articles.indices.contains(number - 1) ? articles[number - 1] : nil
    }
}

// MARK: - Screens

extension ShopRoute {
    /// The presentation of the route.
    @MainActor var screen: Screen<String> {
        switch self {
        case .shop: .show(AppNavigationView.self)
        case .home: .show(HomeView.self)
        case .settings: .show(SettingsView.self)
        case .profile: .show(ProfileView.self)
        case .inbox: .show(NotificationView.self)
        case .product: .show(PricingView.self)
        case .cart: .show(CartView.self)
        case .checkout: .show(CheckoutView.self)
        case .payment: .show(PaymentView.self)
        case .signIn: .show(UserView.self)
        }
    }
}
