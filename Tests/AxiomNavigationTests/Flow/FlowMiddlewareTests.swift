// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import Testing

@Suite("The middleware of a flow", .timeLimit(.minutes(10)))
@MainActor
struct FlowMiddlewareTests {
    /// Middleware that a test writes.
    private struct Step: Middleware {
        typealias Body =
            nonisolated(nonsending) @Sendable (
                NavigationRequest<FlowRoute>, NavigationNext<FlowRoute>
            ) async throws -> NavigationOutcome<FlowRoute>
        let body: Body

        nonisolated(nonsending) func process(
            _ request: NavigationRequest<FlowRoute>,
            next: NavigationNext<FlowRoute>
        ) async throws -> NavigationOutcome<FlowRoute> {
            try await body(request, next)
        }
    }

    /// Redirects each of these routes to its value.
    private func redirecting(_ routes: [FlowRoute: FlowRoute]) -> Step {
        Step { request, next in
            if let target = routes[request.route] { return .redirected(to: target) }
            return try await next(request)
        }
    }

    @Test("Middleware runs in its order, sees the request and the outcome, and can be removed (NAV-06)")
    func order() async throws {
        let world = try await FlowWorld.open()
        @MainActor final class Log { var lines: [String] = [] }
        let log = Log()
        func logging(_ name: String) -> Step {
            Step { request, next in
                await MainActor.run {
                    log.lines.append("\(name) \(request.current) \(request.route) \(request.source)")
                }
                let outcome = try await next(request)
                await MainActor.run { log.lines.append("\(name) \(outcome)") }
                return outcome
            }
        }
        world.flow.addMiddleware(logging("a"))
        let token = world.flow.addMiddleware(logging("b"))
        try await world.flow.navigate(to: .item(1), from: .deepLink)
        #expect(
            log.lines == [
                "a home item(1) deepLink", "b home item(1) deepLink", "b arrived(\(FlowRoute.item(1)))".fullName,
                "a arrived(\(FlowRoute.item(1)))".fullName,
            ]
        )
        world.flow.removeMiddleware(token)
        log.lines = []
        try await world.flow.navigate(to: .item(2))
        #expect(log.lines.count == 2)
        try await world.flow.navigateBack()
        #expect(log.lines.count == 2, "the way back needs no permission")
    }

    @Test("A refusal is an outcome with its reason, and nothing changes (NAV-06)")
    func refusal() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(Step { _, _ in .refused(reason: "closed") })
        #expect(try await world.flow.navigate(to: .item(1)) == .refused(reason: "closed"))
        #expect(world.flow.routes == [.home] && world.events == ["appear home"])
    }

    @Test("An answer without a transition is not taken for an arrival (NAV-06)")
    func liar() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(Step { request, _ in .arrived(request.route) })
        guard case .refused = try await world.flow.navigate(to: .item(1)) else {
            Issue.record("not refused")
            return
        }
        #expect(world.flow.routes == [.home])
    }

    @Test("The error of middleware is thrown, and nothing changes (NAV-06, NAV-24)")
    func throwing() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(Step { _, _ in throw FlowWorld.Broken() })
        await #expect(throws: FlowWorld.Broken.self) { try await world.flow.navigate(to: .item(1)) }
        #expect(world.flow.routes == [.home] && !world.flow.isTransitioning)
    }

    @Test("A second call of next throws, and the first transition stays (NAV-24)")
    func nextTwice() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(
            Step { request, next in
                _ = try await next(request)
                return try await next(request)
            }
        )
        let error = await #expect(throws: NavigationError.self) { try await world.flow.navigate(to: .item(1)) }
        #expect(error?.code == .nextCalledTwice && world.flow.routes == [.home, .item(1)])
    }

    @Test("Of two calls of next at the same time, one makes the transition and the other throws (NAV-24)")
    func nextAtTheSameTime() async throws {
        let world = try await FlowWorld.open()
        let outcomes = Lock<[NavigationOutcome<FlowRoute>?]>([])
        world.flow.addMiddleware(
            Step { request, next in
                async let first = try? await next(request)
                async let second = try? await next(request)
                let both = await [first, second]
                outcomes.withLock { $0 = both }
                return .refused(reason: "too late")
            }
        )
        #expect(try await world.flow.navigate(to: .item(1)) == .arrived(.item(1)))
        #expect(outcomes.withLock { $0.compactMap(\.self) } == [.arrived(.item(1))])
        #expect(world.flow.routes == [.home, .item(1)])
    }

    @Test("A call of next after one that failed passes the rest of the chain again (NAV-24)")
    func nextAfterFailure() async throws {
        let world = try await FlowWorld.open()
        let passed = Lock(0)
        world.flow.addMiddleware(
            Step { request, next in
                do {
                    return try await next(request)
                } catch is FlowWorld.Broken {
                    await MainActor.run { world.broken = [] }
                    return try await next(request)
                }
            }
        )
        world.flow.addMiddleware(
            Step { request, next in
                passed.withLock { $0 += 1 }
                return try await next(request)
            }
        )
        world.broken = [.item(1)]
        #expect(try await world.flow.navigate(to: .item(1)) == .arrived(.item(1)))
        #expect(world.flow.routes == [.home, .item(1)] && passed.withLock { $0 } == 2)
        world.broken = [.item(3)]
        #expect(try await world.flow.reset(to: [.home, .item(2), .item(3)]) == .arrived(.item(3)))
        #expect(world.flow.routes == [.home, .item(2), .item(3)])
    }

    @Test("A step that is nonisolated(nonsending) runs on the main actor, as the flow does (NAV-06)")
    func staysOnMainActor() async throws {
        let world = try await FlowWorld.open()
        let places = Lock<[Bool]>([])
        let step = Step { request, next in
            let isolation = #isolation
            places.withLock { $0.append(isolation === MainActor.shared) }
            let outcome = try await next(request)
            places.withLock { $0.append(isolation === MainActor.shared) }
            return outcome
        }
        world.flow.addMiddleware(step)
        world.flow.addMiddleware(step)
        try await world.flow.navigate(to: .item(1))
        #expect(places.withLock { $0 } == [true, true, true, true])
    }

    @Test("A redirected request begins again with the new route, and the outcome names it (NAV-06)")
    func redirect() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(redirecting([.account: .item(1), .item(1): .item(2)]))
        #expect(try await world.flow.navigate(to: .account) == .redirected(to: .item(2)))
        #expect(world.flow.routes == [.home, .item(2)])
    }

    @Test("A circle of redirections is an error with its path, and nothing changes (NAV-12)")
    func circle() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(redirecting([.account: .item(1), .item(1): .account]))
        let error = await #expect(throws: NavigationError.self) { try await world.flow.navigate(to: .account) }
        #expect(error?.code == .redirectCircle)
        #expect(error?.message.contains("account → item(1) → account") == true)
        #expect(world.flow.routes == [.home])
    }

    @Test("More redirections than the limit are an error with their path (NAV-12)")
    func redirectLimit() async throws {
        let world = try await FlowWorld.open { $0.redirectLimit = 3 }
        world.flow.addMiddleware(
            Step { request, next in
                guard case .item(let number) = request.route, number > 0 else { return try await next(request) }
                return .redirected(to: .item(number - 1))
            }
        )
        #expect(try await world.flow.navigate(to: .item(3)) == .redirected(to: .item(0)))
        let error = await #expect(throws: NavigationError.self) { try await world.flow.navigate(to: .item(4)) }
        #expect(error?.code == .tooManyRedirects && error?.message.contains("item(4) → item(3)") == true)
    }

    @Test("Middleware sees each route of a new history, so none bypasses a guard below the last one (NAV-06)")
    func wholeHistory() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(redirecting([.account: .item(9)]))
        let outcome = try await world.flow.reset(to: [.item(5), .account, .item(6)], from: .deepLink)
        #expect(outcome == .redirected(to: .item(9)))
        #expect(world.flow.routes == [.item(5), .item(9)])
    }

    @Test("A redirection after a screen failed takes the place of that screen (NAV-06, NAV-21)")
    func fallback() async throws {
        let world = try await FlowWorld.open()
        world.broken = [.item(1)]
        world.flow.addMiddleware(
            Step { request, next in
                do {
                    return try await next(request)
                } catch is FlowWorld.Broken {
                    return .redirected(to: .item(404))
                }
            }
        )
        #expect(try await world.flow.navigate(to: .item(1)) == .redirected(to: .item(404)))
        #expect(world.flow.routes == [.home, .item(404)])
        let outcome = try await world.flow.reset(to: [.home, .item(5), .item(1)], from: .deepLink)
        #expect(outcome == .redirected(to: .item(404)))
        #expect(world.flow.routes == [.home, .item(5), .item(404)])
    }

    @Test("A new history that is redirected to a route below does not show that route twice (NAV-06)")
    func redirectedBelow() async throws {
        let world = try await FlowWorld.open { $0.whenOnStack = .popTo }
        world.flow.addMiddleware(redirecting([.account: .home, .sheet(1): .item(5)]))
        #expect(try await world.flow.reset(to: [.home, .account]) == .redirected(to: .home))
        #expect(world.flow.routes == [.home])
        #expect(try await world.flow.reset(to: [.home, .item(5), .item(6), .account]) == .redirected(to: .home))
        #expect(world.flow.routes == [.home])
        let pushing = try await FlowWorld.open()
        pushing.flow.addMiddleware(redirecting([.account: .home, .sheet(1): .item(5)]))
        try await pushing.flow.reset(to: [.item(5), .sheet(1)])
        #expect(pushing.flow.routes == [.item(5)])
        try await pushing.flow.reset(to: [.home, .item(5), .account])
        #expect(pushing.flow.routes == [.home, .item(5), .home])
    }

    @Test("A middleware that awaits a navigation of its own flow gets an error (NAV-24)")
    func middlewareNavigates() async throws {
        let world = try await FlowWorld.open()
        let flow = world.flow!
        world.flow.addMiddleware(Step { _, _ in try await flow.navigate(to: .item(2)) })
        let error = await #expect(throws: NavigationError.self) { try await flow.navigate(to: .item(1)) }
        #expect(error?.code == .navigationWaitsForItself && flow.routes == [.home])
    }

    @Test("A caller that is cancelled in middleware changes nothing (NAV-01)")
    func cancelledInMiddleware() async throws {
        let world = try await FlowWorld.open()
        let gate = FlowGate()
        world.flow.addMiddleware(
            Step { request, next in
                await gate.wait()
                return try await next(request)
            }
        )
        let task = Task { try await world.flow.navigate(to: .item(1)) }
        await gate.reached()
        task.cancel()
        gate.open()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(world.flow.routes == [.home])
    }
}

extension String {
    /// The text with the module, as an interpolated payload shows it.
    fileprivate var fullName: String { replacing("(item", with: "(AxiomNavigationTests.FlowRoute.item") }
}
