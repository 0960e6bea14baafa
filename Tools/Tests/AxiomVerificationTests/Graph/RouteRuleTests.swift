// SPDX-License-Identifier: Apache-2.0

import AxiomSyntax
import AxiomVerification
import Testing

@Suite("Rules about routes")
struct RouteRuleTests {
    private static let links = """
        import AxiomNavigation

        enum ShopRoute: Route {
            case home, cart
            var identifier: String {
                switch self {
                case .home: "home"
                case .cart: "cart"
                }
            }
        }

        enum ShopLinks {
            static func table() throws -> DeepLinkTable<ShopRoute> {
                try DeepLinkTable([
                    DeepLink<ShopRoute>("shop://product/:id?tab=:tab") { _ in [.home] },
                    DeepLink<ShopRoute>("shop://cart", "https://shop.example/cart") { _ in [.cart] },
                    DeepLink<ShopRoute>("shop://help/*") { _ in [.cart] },
                ])
            }
        }
        """

    static let twins = [
        SourceTwin("route-duplicate", links, replace: "shop://help/*", with: "shop://product/:number?tab=:page"),
        SourceTwin("route-duplicate", links, replace: "case .cart: \"cart\"", with: "case .cart: \"home\""),
        SourceTwin("route-shadowed", links, replace: "shop://help/*", with: "shop://:page"),
        SourceTwin("route-unreachable", links, replace: "shop://help/*", with: "shop://cart?mode=edit"),
    ]

    @Test("A twin that differs in one line is found, and the other is not (5.B.6)", arguments: twins)
    func twin(_ twin: SourceTwin) throws {
        #expect(twin.differsInOneLine)
        #expect(try twin.findings(in: twin.good) == [])
        #expect(try twin.findings(in: twin.bad).count == 1)
        for other in RouteRuleTests.twins where other.rule != twin.rule {
            #expect(try other.findings(in: twin.bad) == [])
        }
    }

    @Test("A finding has both links and an example URL (5.B.6)")
    func texts() throws {
        func finding(_ index: Int) throws -> Finding {
            try #require(try Self.twins[index].findings(in: Self.twins[index].bad).first)
        }
        let duplicate = try finding(0)
        #expect(
            duplicate.message
                == "The links shop://product/:id?tab=:tab and shop://product/:number?tab=:page match the same URLs, "
                + "such as shop://product/x?tab=x."
        )
        #expect(duplicate.location.start.line == 18)
        #expect(duplicate.notes.map(\.location.start.line) == [16])
        #expect(
            try finding(1).message.contains("The routes home and cart of ShopRoute have the same identifier \"home\".")
        )
        #expect(try finding(2).message.hasSuffix("both match some URLs, such as shop://cart."))
        #expect(try finding(3).message.hasSuffix("the second is never reached, such as shop://cart?mode=edit."))
    }

    @Test("A table that prefers literals permits what differs in shape (5.B.6)")
    func literalFirst() throws {
        let twin = Self.twins[2]
        let preferring = twin.bad.replacing("        ])\n", with: "        ], overlaps: .literalFirst)\n")
        #expect(preferring != twin.bad)
        #expect(try twin.findings(in: preferring) == [])
        let same = Self.twins[0].bad.replacing("        ])\n", with: "        ], overlaps: .literalFirst)\n")
        #expect(try Self.twins[0].findings(in: same).count == 1)
    }

    @Test("Links of other routes, of other tables, and computed patterns are not compared (5.B.6)")
    func unknown() throws {
        let twin = Self.twins[0]
        let other = """
            import AxiomNavigation
            enum First {
                static let a = try? DeepLink<A>("shop://a") { _ in nil }
                static let b = try? DeepLink<B>("shop://a") { _ in nil }
                static let c = try? DeepLink<A>("shop://\\(name)") { _ in nil }
            }
            enum Second { static let a = try? DeepLink<A>("shop://a") { _ in nil } }
            """
        #expect(try twin.findings(in: other) == [])
        #expect(try twin.findings(in: twin.bad.replacing("import AxiomNavigation", with: "import Other")).isEmpty)
    }
}
