// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/deep-links.md. A test compares the two.

import Axiom
import AxiomNavigation

enum CatalogRoute: Route {
    case home
    case product(Int)
    case search(String, page: Int?)

    var identifier: String {
        switch self {
        case .home: "home"
        case .product: "product"
        case .search: "search"
        }
    }

    static let samples: [CatalogRoute] = [.home, .product(1), .search("shoes", page: 2)]
}

extension CatalogRoute {
    static func links() throws -> DeepLinkTable<CatalogRoute> {
        let home = try DeepLink<CatalogRoute>("shop://home") { _ in
            [.home]
        } print: {
            $0 == .home ? [:] : nil
        }
        let product = try DeepLink<CatalogRoute>("shop://product/:id", "https://shop.example/product/:id") { captures in
            [.home, .product(try captures.require("id"))]
        } print: { route in
            guard case .product(let id) = route else { return nil }
            return ["id": id]
        }
        let search = try DeepLink<CatalogRoute>("shop://search/:text?page=:page?") { captures in
            [.home, .search(try captures.require("text"), page: captures["page", as: Int.self])]
        } print: { route in
            guard case .search(let text, let page) = route else { return nil }
            guard let page else { return ["text": text] }
            return ["text": text, "page": page]
        }
        return try DeepLinkTable([home, product, search], samples: samples + [.search("50 %", page: nil)])
    }
}

/// Opens a link, such as an argument of the command line, and returns what the user sees.
@MainActor
func openLink(_ link: String, _ orchestrator: Orchestrator) async -> String {
    do {
        switch try await orchestrator.handleDeepLink(link) {
        case .opened: return "opened \(link)"
        case .refused(let reason): return "refused: \(reason)"
        }
    } catch let error as NavigationError {
        return "\(error.message) \(error.recoverySuggestion)"
    } catch {
        return "\(error)"
    }
}
