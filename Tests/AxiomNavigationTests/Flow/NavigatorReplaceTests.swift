// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import Testing

@Suite("A navigator that replaces the current route", .timeLimit(.minutes(10)))
@MainActor
struct NavigatorReplaceTests {
    @Test("It is one transition: no other route is shown between, and the current one always has its screen (NAV-05)")
    func atomic() async throws {
        let world = try await FlowWorld.open([.home, .item(1)])
        let before = (outputs: world.outputs.count, events: world.events.count)
        var seen: [[FlowRoute]] = []
        let look: @MainActor (FlowContext) -> Void = { _ in
            seen.append(world.flow.routes)
            #expect(world.flow.isTransitioning == false || world.top?.route == world.flow.currentRoute)
        }
        (world.onDisappear, world.onAppear) = (look, look)
        #expect(try await world.flow.replaceCurrent(with: .account) == .arrived(.account))
        await until { world.events.last == "appear account" }
        #expect(Array(world.events[before.events...]) == ["disappear item(1)", "appear account"])
        #expect(world.outputs[before.outputs...].allSatisfy { $0 == ["item(1) 0"] || $0 == ["account 0"] })
        #expect(seen == [[.home, .item(1)], [.home, .account]])
    }

    @Test("The action that replaces its own screen gets the outcome and is not cancelled before it (NAV-02, CTX-15)")
    func ownScreen() async throws {
        let gate = FlowGate()
        let world = try await FlowWorld.open([.home, .item(1)])
        var outcome: NavigationOutcome<FlowRoute>?
        world.onDisappear = { if $0.route == .item(1) { await gate.wait() } }
        let context = try #require(world.top)
        let action = Task {
            await context.send(FlowAction { outcome = try await $0.navigator.replace(with: .item(2)) })
        }
        await gate.reached()
        action.cancel()
        gate.open()
        await action.value
        await until { outcome != nil && !world.flow.isTransitioning }
        #expect(outcome == .arrived(.item(2)) && world.flow.routes == [.home, .item(2)])
    }

    @Test("An action whose screen was left before its turn replaces nothing (NAV-02, CTX-15)")
    func leftBefore() async throws {
        let (world, gate) = (try await FlowWorld.open([.home, .item(1)]), FlowGate())
        let context = try #require(world.top)
        var isCancelled = false
        let action = Task {
            await context.send(
                FlowAction {
                    await gate.wait()
                    do {
                        try await $0.navigator.replace(with: .account)
                    } catch is CancellationError {
                        isCancelled = true
                    }
                }
            )
        }
        await gate.reached()
        let back = Task { try await world.flow.navigateBack() }
        await until { world.events.last?.hasPrefix("disappear") == true }
        gate.open()
        _ = try await (back.value, action.value)
        #expect(isCancelled && world.flow.routes == [.home])
    }

    @Test("A screen that cannot be made leaves the current one, which appears again (NAV-05)")
    func broken() async throws {
        let world = try await FlowWorld.open([.home, .item(1)])
        world.broken = [.item(2)]
        let current = world.top
        await #expect(throws: FlowWorld.Broken.self) { try await world.flow.replaceCurrent(with: .item(2)) }
        #expect(world.flow.routes == [.home, .item(1)] && world.top === current)
    }

    @Test("It goes back to a route of the history if the options say so, and opens a closed flow (NAV-12)")
    func historyAndOpening() async throws {
        let world = try await FlowWorld.open([.home, .item(1), .sheet(2)]) { $0.whenOnStack = .popTo }
        try await world.flow.replaceCurrent(with: .home)
        #expect(world.flow.routes == [.home])
        try await world.flow.close()
        try await world.flow.replaceCurrent(with: .sheet(3))
        #expect(world.flow.routes == [.home, .sheet(3)])
        try await world.flow.replaceCurrent(with: .swap(4))
        #expect(world.flow.routes == [.home, .swap(4)])
    }
}
