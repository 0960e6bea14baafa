// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

/// The arrival of a user at a route, for analytics.
public struct Announcement<R: Route>: Sendable, Hashable {
    /// The name of the screen: ``RouteMetadata/analyticsName``, or the route's identifier.
    public let name: String
    /// The route that is shown.
    public let route: R
    /// What caused the request. For a route that was redirected to, ``NavigationSource/redirect``.
    public let source: NavigationSource
    /// How the user got there: ``NavigationOutcome/arrived(_:)``, or ``NavigationOutcome/redirected(to:)`` if another route
    /// was requested at first.
    public let outcome: NavigationOutcome<R>
    /// How many announcements were dropped before this one, since the start.
    public let dropped: Int
}

/// Announces each arrival to a closure, after the transition.
///
/// ```swift
/// flow.addMiddleware(Announcements { analytics.screen($0.name, source: $0.source.rawValue) })
/// ```
///
/// The closure runs in a task of its own, for one announcement at a time and in the order of the arrivals. It can neither
/// delay a transition nor fail it. A slow closure fills the queue. Then further announcements are dropped and counted,
/// here and in the next announcement.
///
/// Refused and failed requests are not arrivals. A request that is redirected is announced once, at its arrival. A way back
/// passes no middleware and is not announced.
public final class Announcements<R: Route>: Middleware {
    private struct State {
        var queue: [Announcement<R>] = []
        /// Whether a task delivers. It ends when the queue is empty.
        var isDelivering = false
        var announced = 0
        var delivered = 0
        var dropped = 0
    }

    /// How many announcements can wait.
    package static var capacity: Int { 100 }

    /// Guards the queue and the counts. The closure runs outside of the lock.
    private let state = Lock(State())
    private let report: @Sendable (Announcement<R>) async -> Void

    /// Announces arrivals to `report`.
    public init(to report: @escaping @Sendable (Announcement<R>) async -> Void) {
        self.report = report
    }

    /// How many announcements were dropped because the queue was full. Never decreases.
    public var dropped: Int { state.withLock { $0.dropped } }

    /// The totals. At every instant `announced = delivered + dropped + waiting`, and the announcement that is delivered
    /// now counts as waiting.
    package var counts: (announced: Int, delivered: Int, dropped: Int) {
        state.withLock { ($0.announced, $0.delivered, $0.dropped) }
    }

    /// Passes the request on, and announces it if its route is shown afterwards.
    public nonisolated(nonsending) func process(
        _ request: NavigationRequest<R>,
        next: NavigationNext<R>
    ) async throws -> NavigationOutcome<R> {
        let outcome = try await next(request)
        // A new history passes the middleware route by route, and has one outcome: that of its last route.
        if case .arrived(let route) = outcome, request.isLast, route == request.route { announce(route, request) }
        return outcome
    }

    private func announce(_ route: R, _ request: NavigationRequest<R>) {
        let begins = state.withLock { state in
            state.announced += 1
            guard state.queue.count < Self.capacity else {
                state.dropped += 1
                return false
            }
            state.queue.append(Self.announcement(route, request, dropped: state.dropped))
            defer { state.isDelivering = true }
            return !state.isDelivering
        }
        // Detached, so that the closure inherits neither the actor nor the task-local values of the transition.
        if begins {
            Task.detached(executorPreference: inheritedExecutor, priority: .utility) { await self.deliver() }
        }
    }

    private static func announcement(_ route: R, _ request: NavigationRequest<R>, dropped: Int) -> Announcement<R> {
        Announcement(
            name: route.metadata.analyticsName ?? route.identifier,
            route: route,
            source: request.source,
            outcome: request.redirects.isEmpty ? .arrived(route) : .redirected(to: route),
            dropped: dropped
        )
    }

    private func deliver() async {
        while let announcement = next() {
            await report(announcement)
            state.withLock { state in
                state.delivered += 1
                state.queue.removeFirst()
            }
        }
    }

    /// The oldest announcement, which stays in the queue until it is delivered; nil if there is none.
    private func next() -> Announcement<R>? {
        state.withLock { state in
            if state.queue.isEmpty { state.isDelivering = false }
            return state.queue.first
        }
    }
}
