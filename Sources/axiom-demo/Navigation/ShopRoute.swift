// SPDX-License-Identifier: Apache-2.0

internal import AxiomNavigation

/// The destinations of the shop.
indirect enum ShopRoute: Route, Codable {
    /// The entrance, at the bottom of each history.
    case shop
    case home
    case profile
    /// The price of the product with this number.
    case product(Int)
    case cart
    case checkout
    /// The sign-in, and the route that is wanted after it, if there is one.
    case signIn(returnTo: ShopRoute?)

    var identifier: String {
        switch self {
        case .shop: "shop"
        case .home: "home"
        case .profile: "profile"
        case .product: "product"
        case .cart: "cart"
        case .checkout: "checkout"
        case .signIn: "sign_in"
        }
    }

    /// The name in the command line and in links, such as `sign-in`.
    var name: String { identifier.replacing("_", with: "-") }

    var metadata: RouteMetadata {
        switch self {
        case .profile, .checkout: RouteMetadata(requiresAuthentication: true)
        default: RouteMetadata()
        }
    }

    static let samples: [ShopRoute] = [
        .shop, .home, .profile, .product(1), .cart, .checkout, .signIn(returnTo: nil),
    ]

    /// The products, which are numbered from 1.
    static let articles = ["tea", "coffee", "bread", "honey", "apples", "cheese", "noodles", "chocolate"]

    /// The article with this number; nil if there is none.
    static func article(_ number: Int) -> String? {
        articles.indices.contains(number - 1) ? articles[number - 1] : nil
    }

    /// The presentation of the route.
    @MainActor var screen: Screen<String> {
        switch self {
        case .shop: .show(AppNavigationView.self)
        case .home: .show(HomeView.self)
        case .profile: .show(ProfileView.self)
        case .product: .show(PricingView.self)
        case .cart: .show(CartView.self)
        case .checkout: .show(CheckoutView.self)
        case .signIn: .show(UserView.self)
        }
    }

    // MARK: - Links

    /// The links and the routes to which they lead, each above the entrance of the shop.
    ///
    /// - Throws: `NavigationError` for invalid patterns, which these are not.
    static func links() throws -> DeepLinkTable<ShopRoute> {
        let pages: [ShopRoute] = [.home, .profile, .cart, .checkout, .signIn(returnTo: nil)]
        let links = try pages.map { route in
            try DeepLink("shop://\(route.name)") { _ in
                [.shop, route]
            } print: {
                $0 == route ? [:] : nil
            }
        }
        return try DeepLinkTable(links + [product()], samples: samples)
    }

    /// A number without a product is an unknown link.
    private static func product() throws -> DeepLink<ShopRoute> {
        try DeepLink("shop://product/:id") { captures in
            let number: Int = try captures.require("id")
            return article(number) == nil ? nil : [.shop, .product(number)]
        } print: { route in
            guard case .product(let number) = route else { return nil }
            return ["id": number]
        }
    }
}
