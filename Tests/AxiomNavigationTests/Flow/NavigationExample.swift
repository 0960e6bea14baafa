// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/navigation.md. A test compares the two, and runs it.
import Axiom
import AxiomNavigation
import Observation

enum ShopRoute: Route {
    case home
    case product(Int)
    case signIn
    case orders

    var identifier: String {
        switch self {
        case .home: "home"
        case .product: "product"
        case .signIn: "sign_in"
        case .orders: "orders"
        }
    }

    var metadata: RouteMetadata {
        switch self {
        case .signIn: RouteMetadata(transition: .modal(.sheet))
        case .orders: RouteMetadata(requiresAuthentication: true)
        case .home, .product: RouteMetadata()
        }
    }

    static let samples: [ShopRoute] = [.home, .product(1), .signIn, .orders]
}

enum PageAction: Action { case open(ShopRoute) }

@Observable
final class PageContext: Context {
    typealias Input = ShopRoute

    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let route: ShopRoute
    @ObservationIgnored private let navigator: Navigator<ShopRoute>

    init(_ scope: borrowing ContextScope, _ route: ShopRoute) throws {
        identity = scope.identity
        self.route = route
        navigator = try scope.navigator(ShopRoute.self)
    }

    func handle(_ action: PageAction) async throws {
        switch action {
        case .open(let route): try await navigator.request(route)
        }
    }

    func recovery(for error: any Error) -> RecoveryStrategy {
        error is AuthorizationError ? .navigate(to: .signIn, with: navigator) : .surface
    }
}

struct PageView: Presentation {
    let context: PageContext
    var body: String { "This is \(context.route.identifier)." }
}

/// Shows the sign-in page instead of a page that requires a signed-in user.
struct SignInGuard: Middleware {
    let isSignedIn: @Sendable () async -> Bool

    nonisolated(nonsending) func process(
        _ request: NavigationRequest<ShopRoute>,
        next: NavigationNext<ShopRoute>
    ) async throws -> NavigationOutcome<ShopRoute> {
        guard request.route.metadata.requiresAuthentication, await !isSignedIn() else { return try await next(request) }
        return .redirected(to: .signIn)
    }
}

@MainActor
func runShop(show: @escaping @MainActor ([String]) -> Void) async throws {
    let orchestrator = Orchestrator()
    orchestrator.register(PageContext.self) { try PageContext($0, $1) }
    let flow = try orchestrator.navigation(ShopRoute.home) { route in
        .show(PageView.self, route)
    } render: { outputs in
        show(outputs)
    }
    flow.addMiddleware(SignInGuard { false })
    try await orchestrator.start()
    try await flow.open()
    try await flow.navigate(to: .product(7))
    switch try await flow.navigate(to: .orders) {
    case .arrived(let route): print("shows", route)
    case .redirected(let route): print("shows", route, "instead")
    case .refused(let reason): print("shows nothing new:", reason)
    case .unchanged: break
    }
    try await flow.navigateToRoot()
    await orchestrator.shutdown()
}
