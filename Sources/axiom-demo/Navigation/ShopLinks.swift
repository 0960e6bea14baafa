// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomNavigation

/// The deep links of the shop.
enum ShopLinks {
    /// The links and the routes to which they lead, each above the entrance of the shop. The inbox, the settings and the
    /// payment have no link: they are opened from within the shop.
    ///
    /// - Throws: `NavigationError` for invalid patterns, which these are not.
    static func table() throws -> DeepLinkTable<ShopRoute> {
        let pages: [ShopRoute] = [.home, .profile, .cart, .checkout, .signIn(returnTo: nil)]
        return try DeepLinkTable(pages.map(link) + [product()], samples: ShopRoute.samples)
    }

    /// The link of a route without parameters.
    private static func link(to route: ShopRoute) throws -> DeepLink<ShopRoute> {
        try DeepLink("shop://\(name(of: route))") { _ in
            [.shop, route]
        } print: {
            $0 == route ? [:] : nil
        }
    }

    /// A number without a product is an unknown link.
    private static func product() throws -> DeepLink<ShopRoute> {
        try DeepLink("shop://product/:id") { captures in
            let number: Int = try captures.require("id")
            return ShopRoute.article(number) == nil ? nil : [.shop, .product(number)]
        } print: { route in
            guard case .product(let number) = route else { return nil }
            return ["id": number]
        }
    }
}

// MARK: - Names

extension ShopLinks {
    /// The name of a screen in the command line and in links, such as `sign-in`.
    static func name(of route: ShopRoute) -> String {
        route.identifier.replacing("_", with: "-")
    }

    /// The names of all screens.
    static let names = ShopRoute.samples.map(name)

    /// The screen with this name; for `product` the first one.
    static func screen(named name: String) -> ShopRoute? {
        ShopRoute.samples.first { self.name(of: $0) == name }
    }
}
