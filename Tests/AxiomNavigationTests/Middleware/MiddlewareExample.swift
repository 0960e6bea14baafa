// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/navigation-middleware.md. A test compares the two.
import Axiom
import AxiomNavigation

indirect enum StoreRoute: Route {
    case home
    case product(Int)
    case account
    case login(returnTo: StoreRoute)

    var identifier: String {
        switch self {
        case .home: "home"
        case .product: "product"
        case .account: "account"
        case .login: "login"
        }
    }

    var metadata: RouteMetadata {
        switch self {
        case .product(let id): RouteMetadata(prefetch: [PrefetchRequirement(ProductName(id: id))])
        case .account: RouteMetadata(requiresAuthentication: true)
        case .home, .login: RouteMetadata()
        }
    }

    static let samples: [StoreRoute] = [.home, .product(1), .account, .login(returnTo: .home)]
}

/// The middleware of the store, in the order in which it runs.
func storeMiddleware(
    isSignedIn: @escaping @Sendable () async throws -> Bool,
    report: @escaping @Sendable (_ screen: String) async -> Void
) throws -> [any NavigationMiddleware<StoreRoute>] {
    let announcements = Announcements<StoreRoute> { await report($0.name) }
    let limit = try RateLimit<StoreRoute>(10, per: .seconds(1))
    let authentication = try AuthenticationGuard<StoreRoute>(isSignedIn: isSignedIn, login: { .login(returnTo: $0) })
    return [announcements, limit, authentication]
}

/// Names what the route `product` requires.
struct ProductName: PrefetchKey {
    typealias Value = String
    let id: Int
}

/// A prefetcher for the route `product`.
func storePrefetcher(load: @escaping @Sendable (_ id: Int) async throws -> String) throws -> Prefetcher {
    let product = PrefetchLoader { (key: ProductName) in try await load(key.id) }
    var budget = PrefetchBudget()
    budget.loadsAtOnce = 1
    return try Prefetcher([product], budget: budget)
}
