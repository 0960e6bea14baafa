// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomNavigation
import AxiomTestSupport
import Testing

@Suite("Middleware and prefetch in a flow", .timeLimit(.minutes(10)))
@MainActor
struct MiddlewareInFlowTests {
    /// The route `item(99)` is the login route, which returns to `account`.
    private func guarded(_ isSignedIn: @escaping @Sendable () -> Bool) throws -> AuthenticationGuard<FlowRoute> {
        try AuthenticationGuard(isSignedIn: isSignedIn, login: { _ in .item(99) })
    }

    @Test("A user who signs in on the login screen gets to the wanted route, and the login screen is gone (NAV-07)")
    func signIn() async throws {
        let world = try await FlowWorld.open()
        let isSignedIn = Lock(false)
        world.flow.addMiddleware(try guarded { isSignedIn.withLock { $0 } })
        #expect(try await world.flow.navigate(to: .account) == .redirected(to: .item(99)))
        #expect(world.flow.routes == [.home, .item(99)])
        isSignedIn.withLock { $0 = true }
        let login = try #require(world.top)
        var outcome: NavigationOutcome<FlowRoute>?
        await login.send(FlowAction { outcome = try await $0.navigator.replace(with: .account) })
        await until { outcome != nil && !world.flow.isTransitioning }
        #expect(outcome == .arrived(.account) && world.flow.routes == [.home, .account])
    }

    @Test("A user whose sign-in failed stays on the login screen, which keeps what it holds (NAV-07)")
    func failedSignIn() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(try guarded { false })
        try await world.flow.navigate(to: .account)
        let login = try #require(world.top)
        var outcomes: [NavigationOutcome<FlowRoute>] = []
        for _ in 1...2 {
            await login.send(FlowAction { outcomes.append(try await $0.navigator.replace(with: .account)) })
        }
        #expect(outcomes == [.redirected(to: .item(99)), .redirected(to: .item(99))])
        #expect(world.top === login && world.flow.routes == [.home, .item(99)])
    }

    @Test("A new history is announced once; a guarded route in it ends it with the login route (NAV-07, NAV-08)")
    func history() async throws {
        let world = try await FlowWorld.open()
        let heard = Collector<Announcement<FlowRoute>>()
        world.flow.addMiddleware(Announcements<FlowRoute> { heard.add($0) })
        world.flow.addMiddleware(try guarded { false })
        try await world.flow.reset(to: [.home, .item(1), .item(2)], from: .deepLink)
        await heard.wait(for: 1)
        try await world.flow.reset(to: [.home, .account, .item(2)], from: .deepLink)
        await heard.wait(for: 2)
        #expect(world.flow.routes == [.home, .item(99)])
        #expect(heard.values.map(\.route) == [.item(2), .item(99)])
        #expect(heard.values.map(\.outcome) == [.arrived(.item(2)), .redirected(to: .item(99))])
    }

    @Test("A new history in which the last route occurs twice is announced once (NAV-08)")
    func sameRouteTwice() async throws {
        let world = try await FlowWorld.open()
        let announcements = Announcements<FlowRoute> { _ in }
        world.flow.addMiddleware(announcements)
        try await world.flow.reset(to: [.item(1), .home, .item(1)], from: .deepLink)
        #expect(announcements.counts.announced == 1)
    }

    @Test("A flow refuses the eleventh request within a second, and shows what it showed before (NAV-09)")
    func limit() async throws {
        let world = try await FlowWorld.open()
        world.flow.addMiddleware(try RateLimit(10, per: .seconds(3_600)))
        for id in 1...10 { try await world.flow.navigate(to: .swap(id)) }
        guard case .refused(let reason) = try await world.flow.navigate(to: .swap(11)) else {
            Issue.record("not refused")
            return
        }
        #expect(reason == "The route swap was requested too often: at most 10 per 1 h. Try again in 6 min.")
        #expect(world.flow.currentRoute == .swap(10))
    }

    @Test("A flow has what a route requires loaded when middleware lets it pass and its screen is made (NAV-17)")
    func loads() async throws {
        let world = try await FlowWorld.open()
        let prefetcher = try Prefetcher([PrefetchLoader { (key: ItemKey) in key.id }])
        try world.flow.prefetch(with: prefetcher)
        world.flow.addMiddleware(try guarded { false })
        try await world.flow.navigate(to: .account)
        await eventually { prefetcher.counts.loaded == 1 }
        #expect(try await prefetcher.value(ItemKey(id: 99)) == 99)
        #expect(prefetcher.counts.used == 1)
        try await world.flow.navigate(to: .sheet(1))
        // The screen of item(99) is there.
        try await world.flow.navigateBack()
        #expect(prefetcher.counts.begun == 1)
        try await world.flow.navigate(to: .item(2))
        await eventually { prefetcher.counts.kept == 1 }
        await world.orchestrator.shutdown()
        #expect(prefetcher.counts.kept == 0 && prefetcher.counts.loading == 0)
    }

    @Test("A flow refuses a prefetcher that lacks a loader for what a sample requires (NAV-17)")
    func missingLoader() async throws {
        let world = try await FlowWorld.open()
        let prefetcher = try Prefetcher([])
        let error = #expect(throws: NavigationError.self) { try world.flow.prefetch(with: prefetcher) }
        #expect(error?.message.contains("the route item requires ItemKey, which has no loader") == true)
    }
}
