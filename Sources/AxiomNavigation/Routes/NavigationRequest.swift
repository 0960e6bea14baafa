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

/// The limits and rules of a ``NavigationFlow``.
public struct NavigationOptions: Sendable, Hashable {
    /// How the flow handles a request during a transition.
    public enum WhenBusy: Sendable, Hashable, CaseIterable {
        /// It waits for its turn; see ``NavigationOptions/waitingLimit``.
        case enqueue
        /// It is refused.
        case refuse
        /// It waits for its turn, and the requests that wait already are refused.
        case replacePending
    }

    /// How the flow handles a request for a route that is in the history.
    public enum WhenOnStack: Sendable, Hashable, CaseIterable {
        /// The route is shown once more, on top.
        case push
        /// The flow goes back to it, to the last one if there are several.
        case popTo
        /// The request is refused.
        case refuse
    }

    /// How the flow handles a request when the history is full.
    public enum WhenFull: Sendable, Hashable, CaseIterable {
        /// The oldest route above the root leaves the history, and its screen ends. The user cannot go back to it.
        case dropOldest
        /// The request throws a ``NavigationError`` that names the limit.
        case refuse
    }

    /// How many routes the history holds, the root and the current one among them. Default: 50.
    public var historyLimit = 50
    /// How many screens have a context, the current one among them. For the others, the flow keeps the route and
    /// creates the screen again on the way back. Default: 10.
    public var liveScreens = 10
    /// How often one request may be redirected. Default: 8.
    public var redirectLimit = 8
    /// How many requests may wait for their turn; a further one is refused. Default: 16.
    public var waitingLimit = 16
    /// How the flow handles a request during a transition. Default: it waits.
    public var whenBusy = WhenBusy.enqueue
    /// How the flow handles a request for a route that is in the history. Default: it is shown once more.
    public var whenOnStack = WhenOnStack.push
    /// How the flow handles a request when the history is full. Default: the oldest route above the root is dropped.
    public var whenFull = WhenFull.dropOldest
    /// The value of the label `flow` in metrics. Flows with the same one share their series, such as those of several
    /// windows: the depth and the live screens are then sums. Default: nil, the name of the flow.
    public var metricsName: String?

    /// Creates the default options.
    public init() {}
}
