// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomNavigation

/// A window of the shop: a flow of navigation, its guard and its links. `Tests/ShopOracle` overrides what its ledger counts.
@MainActor
class ShopWindow {
    typealias Outcome = NavigationOutcome<ShopRoute>

    let flow: NavigationFlow<ShopRoute>
    /// Whether the user is signed in.
    private var isSignedIn = false

    /// A window of few screens: only the current one has a context.
    static var options: NavigationOptions {
        var options = NavigationOptions()
        options.historyLimit = 8
        options.liveScreens = 1
        options.whenOnStack = .popTo
        // All windows are one row of the metrics.
        options.metricsName = "shop"
        return options
    }

    /// Gives a flow its guard and its links.
    ///
    /// - Throws: `NavigationError` for invalid links, which those of the shop are not.
    init(_ flow: NavigationFlow<ShopRoute>, _ orchestrator: Orchestrator) throws {
        self.flow = flow
        let authentication = try AuthenticationGuard<ShopRoute> { [weak self] in
            await self?.isSignedIn ?? false
        } login: {
            .signIn(returnTo: $0)
        }
        flow.addMiddleware(authentication)
        orchestrator.openLinks(with: try ShopRoute.links(), on: flow)
    }

    /// The context of the current screen.
    var context: (any Context)? { flow.liveContexts.last?.context }

    /// Carries out a transition.
    func move(_ transition: () async throws -> Outcome) async throws -> Outcome {
        try await transition()
    }

    /// Sends an action to the context of the current screen.
    func send<C: Context>(_ action: C.ActionType, to context: C) async {
        await context.send(action)
    }

    /// Follows a deep link.
    ///
    /// - Throws: As `NavigationFlow.open(_:)`.
    func follow(_ link: String) async throws -> Outcome {
        try await move { try await flow.open(link) }
    }

    /// Shows a route: goes back to it if it is in the history.
    ///
    /// - Throws: As `NavigationFlow.navigate(to:from:)`.
    func show(_ route: ShopRoute) async throws -> Outcome {
        try await move {
            if flow.routes.dropLast().last == route { return try await flow.navigateBack() }
            return try await flow.navigate(to: route)
        }
    }

    /// Uses the current screen.
    func act<C: Context>(_ action: C.ActionType, on context: C) async {
        if let action = action as? UserAction { isSignedIn = action != .signOut }
        if case .user(let action)? = action as? CheckoutIntent { isSignedIn = action != .signOut }
        await send(action, to: context)
    }

    /// Signs in on the current screen, and goes on to the route that was wanted.
    ///
    /// A user counts as signed in from the attempt on, even if the server fails: an order signs in again. So a shopper
    /// opens the same screens, whatever fails.
    ///
    /// - Throws: As `NavigationFlow.replaceCurrent(with:)`.
    func signIn(as customer: String, for wanted: ShopRoute) async throws {
        if let user = context as? UserContext { await act(.signIn(customer: customer), on: user) }
        _ = try await move { try await flow.replaceCurrent(with: wanted) }
    }

    /// Ends all screens.
    func close() async {
        try? await flow.close()
    }
}
