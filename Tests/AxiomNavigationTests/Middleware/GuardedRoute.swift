// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import AxiomResilience
import AxiomTestSupport
import Foundation

/// The routes of the tests of middleware and prefetch.
indirect enum GuardedRoute: Route, Codable {
    case home
    case list
    case product(Int)
    case account
    case login(returnTo: GuardedRoute)
    /// Not among the samples.
    case hidden(String)

    var identifier: String {
        switch self {
        case .home: "home"
        case .list: "list"
        case .product: "product"
        case .account: "account"
        case .login: "login"
        case .hidden(let name): name
        }
    }

    var metadata: RouteMetadata {
        switch self {
        case .home: RouteMetadata(analyticsName: "Start")
        case .list: RouteMetadata(prefetch: [PrefetchRequirement(CatalogueKey())])
        case .product(let id):
            RouteMetadata(prefetch: [PrefetchRequirement(CatalogueKey()), PrefetchRequirement(ProductKey(id: id))])
        case .account, .hidden: RouteMetadata(requiresAuthentication: true)
        case .login: RouteMetadata()
        }
    }

    static let samples: [GuardedRoute] = [.home, .list, .product(1), .account, .login(returnTo: .home)]
}

struct CatalogueKey: PrefetchKey { typealias Value = Int }

struct ProductKey: PrefetchKey {
    typealias Value = Int
    let id: Int
}

/// Runs middleware as a flow does: in order, the transition last, and a redirected route from the start.
struct MiddlewareRun: Sendable {
    let steps: [any NavigationMiddleware<GuardedRoute>]
    let transition: NavigationNext<GuardedRoute>

    init(
        _ steps: any NavigationMiddleware<GuardedRoute>...,
        transition: @escaping NavigationNext<GuardedRoute> = { .arrived($0.route) }
    ) {
        self.steps = steps
        self.transition = transition
    }

    func navigate(
        to route: GuardedRoute,
        from source: NavigationSource = .user
    ) async throws -> NavigationOutcome<GuardedRoute> {
        var request = NavigationRequest(route: route, current: .home, source: source)
        let chain = MiddlewareChain(steps)
        var outcome = try await chain.run(request, transition)
        while case .redirected(let next) = outcome, request.redirects.count < 8 {
            let redirects = request.redirects + [request.route]
            request = NavigationRequest(route: next, current: .home, source: .redirect, redirects: redirects)
            outcome = try await chain.run(request, transition)
        }
        guard case .arrived(let shown) = outcome, !request.redirects.isEmpty else { return outcome }
        return .redirected(to: shown)
    }
}

/// Collects values from any task, and lets a test wait for them.
final class Collector<Value: Sendable>: Sendable {
    private let state = Lock<[Value]>([])

    var values: [Value] { state.withLock { $0 } }

    func add(_ value: Value) {
        state.withLock { $0.append(value) }
    }

    /// Waits until there are at least `count` values. The test has a time limit.
    func wait(for count: Int) async {
        await eventually { self.values.count >= count }
    }
}

/// A gate that holds callers until it is opened. The wait ends when the caller is cancelled.
final class Door: Sendable {
    private struct State {
        var isOpen = false
        var arrivals = 0
        var waiters: [OneShot<Bool>] = []
    }

    private let state = Lock(State())

    /// How many callers arrived.
    var arrivals: Int { state.withLock { $0.arrivals } }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            return state.waiters
        }
        for waiter in waiters { waiter.settle(true) }
    }

    func pass() async throws {
        guard await arrive().value(ifCancelled: false) else { throw CancellationError() }
    }

    /// As ``pass()``, but ignores cancellation.
    func passStubbornly() async {
        _ = await arrive().value
    }

    private func arrive() -> OneShot<Bool> {
        let waiter = OneShot<Bool>()
        let isOpen = state.withLock { state in
            state.arrivals += 1
            state.waiters.append(waiter)
            return state.isOpen
        }
        if isOpen { waiter.settle(true) }
        return waiter
    }
}
