// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Observation

enum ShopRoute: Route {
    case home
    case product(Int)
    case cart
    case help
    case photo

    var identifier: String {
        switch self {
        case .home: "home"
        case .product: "product"
        case .cart: "cart"
        case .help: "help"
        case .photo: "photo"
        }
    }

    var metadata: RouteMetadata {
        switch self {
        case .home, .product: RouteMetadata()
        case .cart: RouteMetadata(transition: .modal(.sheet))
        case .help: RouteMetadata(transition: .modal(.popover))
        case .photo: RouteMetadata(transition: .modal(.fullScreen))
        }
    }

    static let samples: [ShopRoute] = [.home, .product(1), .cart, .help, .photo]
}

/// A screen that shows its route, and fails to be made while a test wants it.
@MainActor
@Observable
final class RouteContext: Context {
    typealias Input = ShopRoute

    static var failing: ShopRoute?
    static weak var latest: RouteContext?
    @ObservationIgnored nonisolated let identity: ComponentIdentity
    var title: String

    init(_ scope: borrowing ContextScope, _ input: ShopRoute) throws {
        if Self.failing == input { throw NetworkError.noConnection(to: "shop.example") }
        identity = scope.identity
        title = "\(input)"
        Self.latest = self
    }
}
