// SPDX-License-Identifier: Apache-2.0

public import Axiom

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
/// ```swift
/// struct Closed<R: Route>: Middleware {
///     nonisolated(nonsending) func process(
///         _ request: NavigationRequest<R>,
///         next: NavigationNext<R>
///     ) async throws -> NavigationOutcome<R> {
///         request.source == .user ? .refused(reason: "closed") : try await next(request)
///     }
/// }
/// ```
/// The steps of a flow run in the order in which they were added. To redirect, return
/// ``NavigationOutcome/redirected(to:)`` without a call of `next`: the flow then handles the new route from the start. A
/// call of `next` after one that failed tries the rest again; a call after the transition throws a ``NavigationError``.
public typealias NavigationMiddleware<R: Route> = Middleware<NavigationRequest<R>, NavigationOutcome<R>>

/// The rest of the chain, as middleware of a flow calls it: further middleware, and the transition.
public typealias NavigationNext<R: Route> = MiddlewareNext<NavigationRequest<R>, NavigationOutcome<R>>
