// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Leads the routes of one request through the middleware of a flow to one transition.
///
/// The middleware sees each route of a new history: the root first, and within its `next` the one above it. So each
/// middleware sees the outcome, and a route below the last one cannot bypass a guard.
@MainActor
final class Passage<R: Route> {
    /// The target of a request.
    enum Wish: Sendable {
        case show(R)
        /// A new history. The first `passed` routes have passed the middleware already.
        case reset([R], passed: Int)
    }

    private let wish: Wish
    private let chain: NavigationChain<R>
    private let current: R
    private let source: NavigationSource
    private let redirects: [R]
    private let whenOnStack: NavigationOptions.WhenOnStack
    private let transition: @MainActor (StackChange<R>) async throws -> NavigationOutcome<R>
    /// How many routes have passed all middleware.
    private var passed: Int
    /// The outcome of the transition; nil if there was none.
    private var result: NavigationOutcome<R>?
    /// The last redirection, and the index of the route that it replaces.
    private var redirection: (index: Int, target: R)?

    init(
        _ wish: Wish,
        _ chain: NavigationChain<R>,
        current: R,
        source: NavigationSource,
        redirects: [R],
        whenOnStack: NavigationOptions.WhenOnStack,
        transition: @escaping @MainActor (StackChange<R>) async throws -> NavigationOutcome<R>
    ) {
        self.wish = wish
        self.chain = chain
        self.current = current
        self.source = source
        self.redirects = redirects
        self.whenOnStack = whenOnStack
        self.transition = transition
        if case .reset(_, let passed) = wish { self.passed = passed } else { passed = 0 }
    }

    private var routes: [R] {
        switch wish {
        case .show(let route): [route]
        case .reset(let routes, _): routes
        }
    }

    /// What to do after middleware redirected one of the routes to `route`.
    func redirected(to route: R) -> (from: R?, wish: Wish) {
        let index = redirection?.index ?? passed
        let from = index < routes.count ? routes[index] : routes.last
        guard case .reset(let routes, _) = wish else { return (from, .show(route)) }
        let below = self.below(route, in: routes.prefix(index))
        return (from, .reset(below + [route], passed: below.count))
    }

    /// The part of a new history that stays below a route to which middleware redirected. A route that is in the history
    /// already is not shown twice, unless it is pushed on another one.
    private func below(_ route: R, in routes: ArraySlice<R>) -> [R] {
        let isShownTwice = whenOnStack != .push || routes.last == route
        guard isShownTwice, let index = routes.lastIndex(of: route) else { return Array(routes) }
        return Array(routes[..<index])
    }

    /// Passes all routes through the middleware and makes the transition. A middleware that answers without a call of
    /// `next` determines the outcome; once the transition was made, its outcome counts.
    func run() async throws -> NavigationOutcome<R> {
        let outcome = try await passNext()
        if let result { return result }
        switch outcome {
        case .refused, .redirected: return outcome
        case .arrived, .unchanged: return .refused(reason: "a middleware answered without a transition")
        }
    }

    private func passNext() async throws -> NavigationOutcome<R> {
        guard passed < routes.count else { return try await end() }
        let index = passed
        let request = NavigationRequest(
            route: routes[index],
            current: current,
            source: source,
            redirects: redirects,
            isLast: index == routes.count - 1
        )
        let outcome = try await chain.run(request) { [self] _ in
            try await passedOne()
        }
        // The step for a route above may have redirected to the same target. It is the one that counts.
        if case .redirected(let target) = outcome, redirection?.target != target { redirection = (index, target) }
        return outcome
    }

    private func passedOne() async throws -> NavigationOutcome<R> {
        passed += 1
        return try await passNext()
    }

    private func end() async throws -> NavigationOutcome<R> {
        let change: StackChange<R> =
            switch wish {
            case .show(let route): .show(route)
            case .reset(let routes, _): .reset(routes)
            }
        let outcome = try await transition(change)
        result = outcome
        return outcome
    }
}
