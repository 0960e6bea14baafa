// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Testing

@Suite("The turns of a flow", .timeLimit(.minutes(10)))
@MainActor
struct FlowTurnsTests {
    private typealias Request = Task<NavigationOutcome<FlowRoute>, any Error>

    /// A world in which `onDisappear()` of the root waits for the gate.
    private func slow(
        _ gate: FlowGate,
        _ change: (inout NavigationOptions) -> Void = { _ in }
    ) async throws -> FlowWorld {
        let world = try await FlowWorld.open([.home], change)
        world.onDisappear = { if $0.route == .home { await gate.wait() } }
        return world
    }

    /// Begins a transition, and waits until it is at the gate.
    private func begin(_ world: FlowWorld, _ route: FlowRoute, at gate: FlowGate) async -> Request {
        let task = Task { try await world.flow.navigate(to: route) }
        await gate.reached()
        return task
    }

    /// Makes a request during a transition. The request has joined the queue when this returns: it waits there first.
    private func request(_ world: FlowWorld, _ route: FlowRoute) -> Request {
        Task.immediate { try await world.flow.navigate(to: route) }
    }

    @Test("Requests during a transition are carried out in their order (NAV-01)")
    func inOrder() async throws {
        let gate = FlowGate()
        let world = try await slow(gate)
        let tasks = [
            await begin(world, .item(1), at: gate), request(world, .item(2)), request(world, .item(3)),
        ]
        #expect(world.flow.isTransitioning && world.flow.routes == [.home])
        gate.open()
        for task in tasks { _ = try await task.value }
        #expect(world.flow.routes == [.home, .item(1), .item(2), .item(3)] && !world.flow.isTransitioning)
    }

    @Test("A busy flow refuses, if the options say so, and the outcome has the reason (NAV-06)")
    func refuses() async throws {
        let gate = FlowGate()
        let world = try await slow(gate) { $0.whenBusy = .refuse }
        let first = await begin(world, .item(1), at: gate)
        let outcome = try await world.flow.navigate(to: .item(2))
        #expect(outcome == .refused(reason: "another transition is under way"))
        gate.open()
        #expect(try await first.value == .arrived(.item(1)))
        #expect(world.flow.routes == [.home, .item(1)])
    }

    @Test("A later request replaces those that wait, if the options say so (NAV-06)")
    func replaces() async throws {
        let gate = FlowGate()
        let world = try await slow(gate) { $0.whenBusy = .replacePending }
        let tasks = [
            await begin(world, .item(1), at: gate), request(world, .item(2)), request(world, .item(3)),
        ]
        gate.open()
        #expect(try await tasks[0].value == .arrived(.item(1)))
        #expect(try await tasks[1].value == .refused(reason: "a later request replaced it"))
        #expect(try await tasks[2].value == .arrived(.item(3)))
        #expect(world.flow.routes == [.home, .item(1), .item(3)])
    }

    @Test("No more requests wait than the limit permits (NAV-06)")
    func bounded() async throws {
        let gate = FlowGate()
        let world = try await slow(gate) { $0.waitingLimit = 2 }
        let tasks = [
            await begin(world, .item(1), at: gate), request(world, .item(2)), request(world, .item(3)),
        ]
        guard case .refused(let reason) = try await world.flow.navigate(to: .item(4)) else {
            Issue.record("the fourth request was not refused")
            return
        }
        #expect(reason.contains("NavigationOptions.waitingLimit"))
        gate.open()
        for task in tasks { _ = try await task.value }
    }

    @Test("A request that is cancelled while it waits leaves no trace (NAV-01)")
    func cancelledWaiting() async throws {
        let gate = FlowGate()
        let world = try await slow(gate)
        let tasks = [
            await begin(world, .item(1), at: gate), request(world, .item(2)), request(world, .item(3)),
        ]
        tasks[1].cancel()
        await #expect(throws: CancellationError.self) { try await tasks[1].value }
        gate.open()
        _ = try await (tasks[0].value, tasks[2].value)
        #expect(world.flow.routes == [.home, .item(1), .item(3)])
    }

    @Test("A transition that has begun is completed although its caller is cancelled (NAV-01)")
    func cancelledTransition() async throws {
        let gate = FlowGate()
        let world = try await slow(gate)
        let task = await begin(world, .item(1), at: gate)
        task.cancel()
        gate.open()
        #expect(try await task.value == .arrived(.item(1)))
        #expect(world.flow.routes == [.home, .item(1)] && world.top?.route == .item(1))
    }

    @Test("A context that awaits a navigation from its onDisappear() gets an error with the cycle (NAV-24)")
    func waitsForItself() async throws {
        let world = try await FlowWorld.open()
        var thrown: (any Error)?
        world.onDisappear = { context in
            guard thrown == nil else { return }
            do {
                try await context.navigator.request(.item(9))
            } catch {
                thrown = error
            }
        }
        try await world.flow.navigate(to: .item(1))
        let error = try #require(thrown as? NavigationError)
        #expect(error.code == .navigationWaitsForItself && error.message.contains("disappear"))
        #expect(world.flow.routes == [.home, .item(1)])
    }

    @Test("A context may navigate from its onAppear(), and await it (NAV-02, CTX-15)")
    func fromOnAppear() async throws {
        let world = try await FlowWorld.open()
        world.onAppear = { context in
            if context.route == .item(1) { try await context.navigator.request(.item(2)) }
        }
        try await world.flow.navigate(to: .item(1))
        try await world.flow.navigate(to: .item(3))
        #expect(world.flow.routes == [.home, .item(1), .item(2), .item(3)])
        world.onAppear = { if $0.route == .item(2) { try await $0.navigator.back() } }
        try await world.flow.navigateBack()
        await until { world.flow.routes.count == 2 }
        #expect(world.flow.routes == [.home, .item(1)])
    }

    @Test("An action may navigate although its context is covered or ends by it (NAV-02, CTX-15)")
    func fromAction() async throws {
        let world = try await FlowWorld.open()
        var outcomes: [NavigationOutcome<FlowRoute>] = []
        await world.top?.send(FlowAction { outcomes.append(try await $0.navigator.request(.item(1))) })
        await world.top?.send(FlowAction { outcomes.append(try await $0.navigator.request(.swap(2))) })
        await world.top?.send(FlowAction { outcomes.append(try await $0.navigator.back()) })
        await until { !world.flow.isTransitioning }
        #expect(outcomes == [.arrived(.item(1)), .arrived(.swap(2)), .arrived(.home)])
    }

    @Test("A slow onAppear() does not delay a transition, and is cancelled by the next one (NAV-15)")
    func slowAppearance() async throws {
        let world = try await FlowWorld.open()
        let gate = FlowGate()
        world.onAppear = { if $0.route == .item(1) { await gate.wait() } }
        #expect(try await world.flow.navigate(to: .item(1)) == .arrived(.item(1)))
        #expect(try await world.flow.navigateBack() == .arrived(.home))
        gate.open()
        await until { world.counts.live == 1 }
        #expect(world.flow.routes == [.home])
    }

    @Test(
        "The shutdown ends the flow, its screens and the requests that wait; it opens again after the next start (NAV-02)"
    )
    func shutdown() async throws {
        let gate = FlowGate()
        let world = try await slow(gate)
        let (first, second) = (await begin(world, .item(1), at: gate), request(world, .item(2)))
        let shutdown = Task { await world.orchestrator.shutdown() }
        await until { !world.orchestrator.isRunning }
        gate.open()
        await shutdown.value
        let ended = await #expect(throws: NavigationError.self) { try await first.value }
        #expect(ended?.code == .flowEnded)
        let error = await #expect(throws: NavigationError.self) { try await second.value }
        #expect(error?.code == .flowEnded)
        await until { world.counts.live == 0 && !world.flow.isTransitioning }
        #expect(world.flow.routes == [.home] && !world.flow.isOpen)
        #expect(world.outputs.last == [])
        await #expect(throws: NavigationError.self) { try await world.flow.navigate(to: .item(1)) }
        try await world.orchestrator.start()
        #expect(try await world.flow.navigate(to: .item(1)) == .arrived(.item(1)))
        await world.orchestrator.shutdown()
        await until { world.counts.live == 0 }
    }
}
