// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTestSupport
import Foundation
import Testing

@Suite("A flow under requests from all sides", .timeLimit(.minutes(10)))
@MainActor
struct FlowStormTests {
    /// 400 storms at scale 1; a twentieth without it.
    private var storms: Int { TestScale.count(400) }

    /// Redirects accounts, refuses one item, and leaves the main actor now and then.
    private struct Gatekeeper: Middleware {
        nonisolated(nonsending) func process(
            _ request: NavigationRequest<FlowRoute>,
            next: NavigationNext<FlowRoute>
        ) async throws -> NavigationOutcome<FlowRoute> {
            await Task.yield()
            switch request.route {
            case .account: return .redirected(to: .item(3))
            case .sheet(0): return .refused(reason: "no")
            default: return try await next(request)
            }
        }
    }

    private typealias Step = @MainActor @Sendable (FlowWorld) async throws -> Void

    private func step(_ generator: inout SplitMix64) -> Step {
        let number = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<14, using: &generator) {
        case 0: return { try await $0.flow.navigateToRoot() }
        case 1, 2: return { try await $0.flow.navigateBack(number) }
        case 3: return { try await $0.flow.reset(to: [.home, .item(number), .sheet(1), .account]) }
        case 4: return { try await $0.flow.navigate(to: .sheet(number)) }
        case 5: return { try await $0.flow.navigate(to: .swap(number)) }
        case 6: return { try await $0.flow.navigate(to: .account) }
        case 7: return { try await $0.flow.close() }
        case 8: return { await $0.orchestrator.shutdown() }
        case 9: return { try await $0.orchestrator.start() }
        case 10: return { world in await world.top?.send(FlowAction { try await $0.navigator.request(.item(number)) }) }
        case 11: return { world in world.broken = world.broken.isEmpty ? [.item(1), .home] : [] }
        default: return { try await $0.flow.navigate(to: .item(number)) }
        }
    }

    @Test("Every request ends, and made = ended + live, with shutdowns, closes, cancellations and failures (NAV-13)")
    func storm() async throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<storms {
            let limit = Int.random(in: 1...3, using: &generator)
            let world = try await FlowWorld.open {
                ($0.liveScreens, $0.historyLimit, $0.waitingLimit) = (limit, 6, 8)
                $0.whenOnStack = .allCases.randomElement(using: &generator) ?? .push
                $0.whenBusy = .allCases.randomElement(using: &generator) ?? .enqueue
            }
            world.flow.addMiddleware(Gatekeeper())
            world.onAppear = { context in
                await Task.yield()
                if context.route == .item(2) { try await context.navigator.request(.sheet(2)) }
            }
            world.onDisappear = { context in
                await Task.yield()
                if context.route == .item(1) { _ = try? await context.navigator.back() }
            }
            var tasks: [Task<Void, Never>] = []
            for _ in 0..<25 {
                let step = step(&generator)
                let task = Task { _ = try? await step(world) }
                tasks.append(task)
                if Int.random(in: 0..<6, using: &generator) == 0 { task.cancel() }
                for _ in 0..<Int.random(in: 0..<12, using: &generator) { await Task.yield() }
            }
            for task in tasks { await task.value }
            await until { !world.flow.isTransitioning }
            await until { world.counts.live == world.flow.liveContexts.count }
            #expect(world.flow.isOpen || world.counts.live == 0)
            if world.flow.isOpen { #expect(world.top?.route == world.flow.currentRoute) }
            await world.orchestrator.shutdown()
            await until { world.counts.live == 0 }
            #expect(!world.flow.isOpen && world.flow.routes == [.home])
            world.broken = []
            try await world.orchestrator.start()
            #expect(try await world.flow.navigate(to: .item(0)) == .arrived(.item(0)))
            #expect(world.flow.routes == [.home, .item(0)])
            await world.orchestrator.shutdown()
        }
    }
}
