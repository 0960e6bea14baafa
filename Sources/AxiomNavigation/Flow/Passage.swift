// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The routes of one request on their way through the middleware of a flow, to one transition.
///
/// The middleware sees each route of a new history: the root first, and within its `next` the one above it. So each
/// middleware sees the outcome, and a route below the last one cannot bypass a guard.
@MainActor
final class Passage<R: Route> {
    /// What a request wants.
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
    private let transition: @MainActor (StackChange<R>) async throws -> NavigationOutcome<R>
    /// How many routes have passed all middleware.
    private var passed: Int
    /// The outcome of the transition; nil if there was none.
    private var result: NavigationOutcome<R>?

    init(
        _ wish: Wish,
        _ chain: NavigationChain<R>,
        current: R,
        source: NavigationSource,
        redirects: [R],
        transition: @escaping @MainActor (StackChange<R>) async throws -> NavigationOutcome<R>
    ) {
        self.wish = wish
        self.chain = chain
        self.current = current
        self.source = source
        self.redirects = redirects
        self.transition = transition
        if case .reset(_, let passed) = wish { self.passed = passed } else { passed = 0 }
    }

    private var routes: [R] {
        switch wish {
        case .show(let route): [route]
        case .reset(let routes, _): routes
        }
    }

    /// What to do if the middleware redirects the route that has not passed to `route`.
    func redirected(to route: R) -> (from: R?, wish: Wish) {
        let from = passed < routes.count ? routes[passed] : routes.last
        return switch wish {
        case .show: (from, .show(route))
        case .reset(let routes, _): (from, .reset(routes.prefix(passed) + [route], passed: passed))
        }
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
        let request = NavigationRequest(
            route: routes[passed],
            current: current,
            source: source,
            redirects: redirects
        )
        return try await chain.run(request) { [self] _ in
            try await passedOne()
        }
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
