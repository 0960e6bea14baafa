// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The routes that a request wants to be shown.
struct RequestedRoutes<R: Route>: Sendable {
    /// One route, or the routes of a new history, the root first.
    let routes: [R]
    /// How many of the routes have passed the middleware already.
    var passed = 0
    /// The change of the stack, whose routes are ``routes``.
    fileprivate let change: StackChange<R>

    static func show(_ route: R) -> Self { RequestedRoutes(routes: [route], change: .show(route)) }
    static func replace(_ route: R) -> Self { RequestedRoutes(routes: [route], change: .replace(route)) }
    static func reset(_ routes: [R], passed: Int = 0) -> Self {
        RequestedRoutes(routes: routes, passed: passed, change: .reset(routes))
    }
}

/// Leads the routes of one request through the middleware of a flow to one transition.
///
/// The middleware sees each route of a new history: the root first, and within its `next` the one above it. So each
/// middleware sees the outcome, and a route below the last one cannot bypass a guard.
@MainActor
final class Passage<R: Route> {
    private let requested: RequestedRoutes<R>
    private let chain: MiddlewareChain<NavigationRequest<R>, NavigationOutcome<R>>
    private let current: R
    private let source: NavigationSource
    private let redirects: [R]
    private let whenOnStack: NavigationOptions.WhenOnStack
    private let transition: @MainActor (StackChange<R>) async throws -> NavigationOutcome<R>
    /// Whether the transition has begun, and has not failed.
    private var isTaken = false
    /// The outcome of the transition; nil if there was none.
    private var result: NavigationOutcome<R>?
    /// The last redirection, and the index of the route that it replaces.
    private var redirection: (index: Int, target: R)?

    init(
        _ requested: RequestedRoutes<R>,
        in flow: NavigationFlow<R>,
        _ source: NavigationSource,
        _ redirects: [R],
        transition: @escaping @MainActor (StackChange<R>) async throws -> NavigationOutcome<R>
    ) {
        self.requested = requested
        self.source = source
        self.redirects = redirects
        self.transition = transition
        (chain, current, whenOnStack) = (flow.chain, flow.currentRoute, flow.options.whenOnStack)
    }

    /// Passes all routes through the middleware and makes the transition. A middleware that answers without a call of
    /// `next` determines the outcome; once the transition was made, its outcome counts.
    func run() async throws -> NavigationOutcome<R> {
        let outcome = try await pass(requested.passed)
        if let result { return result }
        switch outcome {
        case .refused, .redirected: return outcome
        case .arrived, .unchanged: return .refused(reason: "a middleware answered without a transition")
        }
    }

    /// Passes the route with this index and those above it through the middleware, and then makes the transition.
    private func pass(_ index: Int) async throws -> NavigationOutcome<R> {
        guard !isTaken else { throw NavigationError.nextCalledTwice(requested.routes[max(0, index - 1)].identifier) }
        guard index < requested.routes.count else {
            isTaken = true
            defer { isTaken = result != nil }
            let outcome = try await transition(requested.change)
            result = outcome
            return outcome
        }
        let request = NavigationRequest(
            route: requested.routes[index],
            current: current,
            source: source,
            redirects: redirects,
            isLast: index == requested.routes.count - 1
        )
        let outcome = try await chain.run(request) { [self] _ in try await pass(index + 1) }
        // The step for a route above may have redirected to the same route. It is the one that counts.
        if case .redirected(let target) = outcome, redirection?.target != target { redirection = (index, target) }
        return outcome
    }

    /// What to do after middleware redirected one of the routes to `route`.
    func redirected(to route: R) -> (from: R, requested: RequestedRoutes<R>) {
        let index = redirection?.index ?? requested.passed
        let from = requested.routes[index]
        switch requested.change {
        case .reset:
            let below = self.below(route, in: requested.routes.prefix(index))
            return (from, .reset(below + [route], passed: below.count))
        case .replace: return (from, .replace(route))
        case .show, .back, .root: return (from, .show(route))
        }
    }

    /// The part of a new history that stays below a route to which middleware redirected. A route that is in the history
    /// already is not shown twice, unless it is pushed on another one.
    private func below(_ route: R, in routes: ArraySlice<R>) -> [R] {
        let isShownTwice = whenOnStack != .push || routes.last == route
        guard isShownTwice, let index = routes.lastIndex(of: route) else { return Array(routes) }
        return Array(routes[..<index])
    }
}
