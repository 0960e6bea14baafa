// SPDX-License-Identifier: Apache-2.0

/// What caused a transition.
public enum NavigationSource: String, Sendable, Hashable, CaseIterable {
    case user
    case deepLink = "deep_link"
    case restoration
    case redirect
    case recovery
}

/// A request to show a route, as middleware sees it.
public struct NavigationRequest<R: Route>: Sendable, Hashable {
    /// The route to show.
    public let route: R
    /// The route that is shown now.
    public let current: R
    /// What caused the request.
    public let source: NavigationSource
    /// The routes that were redirected, the first request first. Empty if nothing was redirected.
    public let redirects: [R]
    /// Whether it is the one route of the request, or the last one of a new history.
    package let isLast: Bool

    package init(route: R, current: R, source: NavigationSource, redirects: [R] = [], isLast: Bool = true) {
        self.route = route
        self.current = current
        self.source = source
        self.redirects = redirects
        self.isLast = isLast
    }
}

/// The outcome of a request. Failures are thrown; they are not outcomes.
public enum NavigationOutcome<R: Route>: Sendable, Hashable {
    /// The route is shown.
    case arrived(R)
    /// Middleware chose another route, which is shown.
    case redirected(to: R)
    /// Middleware or the flow refused; nothing changed.
    case refused(reason: String)
    /// There was nothing to do, such as to go back from the root.
    case unchanged
}

/// A step between a request and the transition: it may pass the request on, change it, answer it, or throw.
///
/// The steps of a flow run in the order in which they were added, off the main actor or on it as they choose. A step
/// calls `next` at most once; a second call throws a ``NavigationError``.
public protocol NavigationMiddleware<R>: Sendable {
    associatedtype R: Route

    /// Handles a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - next: The rest of the chain: further middleware, and the transition. To redirect, return
    ///     ``NavigationOutcome/redirected(to:)`` without a call of `next`: the flow then handles the new route from the
    ///     start.
    /// - Throws: What the flow then throws to its caller.
    func process(
        _ request: NavigationRequest<R>,
        next: @Sendable (NavigationRequest<R>) async throws -> NavigationOutcome<R>
    ) async throws -> NavigationOutcome<R>
}
