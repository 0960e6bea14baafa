// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTesting
import Testing

@Suite("The closing of a flow, and its next opening", .timeLimit(.minutes(10)))
@MainActor
struct FlowClosingTests {
    /// Passes each request on when the gate is open.
    private struct Gated: Middleware {
        let gate: FlowGate

        nonisolated(nonsending) func process(
            _ request: NavigationRequest<FlowRoute>,
            next: NavigationNext<FlowRoute>
        ) async throws -> NavigationOutcome<FlowRoute> {
            await gate.wait()
            return try await next(request)
        }
    }

    @Test(
        "A flow is closed after the transition under way, whatever its options refuse (NAV-01)",
        arguments: NavigationOptions.WhenBusy.allCases
    )
    func whileBusy(_ whenBusy: NavigationOptions.WhenBusy) async throws {
        try await withInterleavings(20) { try await Self().closeWhileBusy(whenBusy, $0) }
    }

    private func closeWhileBusy(_ whenBusy: NavigationOptions.WhenBusy, _ run: Interleaving) async throws {
        let gate = FlowGate()
        let world = try await FlowWorld.open {
            ($0.whenBusy, $0.waitingLimit) = (whenBusy, whenBusy == .replacePending ? 1 : 0)
        }
        world.onDisappear = { if $0.route == .home { await gate.wait() } }
        async let transition = world.flow.navigate(to: .item(1))
        await gate.reached()
        async let closing: Void = world.flow.close()
        await run.quiet()
        gate.open()
        #expect(try await transition == .arrived(.item(1)))
        try await closing
        #expect(!world.flow.isOpen && world.flow.routes == [.home] && world.outputs.last == [])
        await until { world.counts.live == 0 }
    }

    @Test("A request that replaces those that wait does not replace a close (NAV-01)")
    func replaced() async throws {
        try await withInterleavings(20) { try await Self().requestAfterClose($0) }
    }

    private func requestAfterClose(_ run: Interleaving) async throws {
        let gate = FlowGate()
        let world = try await FlowWorld.open([.home, .item(5)]) { $0.whenBusy = .replacePending }
        world.onDisappear = { if $0.route == .item(5) { await gate.wait() } }
        async let transition = world.flow.navigate(to: .item(1))
        await gate.reached()
        async let closing: Void = world.flow.close()
        await run.quiet()
        async let later = world.flow.navigate(to: .item(2))
        await run.quiet()
        gate.open()
        _ = try await transition
        try await closing
        #expect(try await later == .arrived(.item(2)))
        #expect(world.flow.routes == [.home, .item(2)], "the history before the close is lost")
    }

    @Test("A screen gets no image of a screen that a close has ended (NAV-14, RES-02)")
    func imagesOfClosedScreens() async throws {
        let world = try await FlowWorld.open { $0.liveScreens = 1 }
        let imaging = ValueImages()
        world.flow.imaging = imaging
        for number in 1...3 {
            world.top?.value = 40 + number
            try await world.flow.navigate(to: .item(number))
        }
        try await world.flow.close()
        try await world.flow.reset(to: [.home, .item(7), .item(8)])
        try await world.flow.navigateBack()
        #expect(world.outputs.last == ["item(7) 0"])
        try await world.flow.navigateToRoot()
        #expect(world.outputs.last == ["home 0"])
        withExtendedLifetime(imaging) {}
    }

    @Test("Middleware that ends after the next start shows nothing: its request belongs to the run before (NAV-02)")
    func middlewareOfAnEarlierRun() async throws {
        let gate = FlowGate()
        let world = try await FlowWorld.open()
        let token = world.flow.addMiddleware(Gated(gate: gate))
        let first = Task { try await world.flow.navigate(to: .item(1)) }
        await gate.reached()
        await world.orchestrator.shutdown()
        try await world.orchestrator.start()
        world.flow.removeMiddleware(token)
        gate.open()
        let error = await #expect(throws: NavigationError.self) { try await first.value }
        #expect(error?.code == .flowEnded)
        #expect(!world.flow.isOpen && world.flow.routes == [.home])
        #expect(try await world.flow.navigate(to: .item(2)) == .arrived(.item(2)))
        #expect(world.flow.routes == [.home, .item(2)])
        await world.orchestrator.shutdown()
    }
}
