// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomNavigation
import AxiomTestSupport
import Foundation
import Synchronization
import Testing

@Suite("The contexts of a flow are conserved", .timeLimit(.minutes(10)))
@MainActor
struct FlowConservationTests {
    /// 2,000 histories at scale 1; a twentieth without it.
    private var histories: Int { TestScale.count(2_000) }

    @Test("Random histories over real components: made = ended + live, within the live limit (NAV-13, NAV-14)")
    func random() async throws {
        var generator = SplitMix64(seed: TestSeed.drawn())
        for _ in 0..<histories {
            let limit = Int.random(in: 1...4, using: &generator)
            let world = try await FlowWorld.open {
                ($0.liveScreens, $0.historyLimit) = (limit, 8)
                $0.whenOnStack = .allCases.randomElement(using: &generator) ?? .push
            }
            var trace: [String] = []
            for _ in 0..<12 {
                world.broken = Int.random(in: 0..<5, using: &generator) == 0 ? [.item(1), .sheet(1), .home] : []
                let isCancelled = Int.random(in: 0..<5, using: &generator) == 0
                let (name, step) = step(&generator)
                trace.append("\(name) \(world.broken.isEmpty ? "" : "broken") \(isCancelled ? "cancelled" : "")")
                let task = Task { _ = try? await step(world.flow) }
                if isCancelled { task.cancel() }
                await task.value
                await released(world)
                #expect(world.counts.live <= limit && world.counts.live == world.flow.liveContexts.count, "\(trace)")
                #expect(world.top?.route == world.flow.currentRoute)
            }
            await world.orchestrator.shutdown()
            await released(world)
            #expect(world.counts.live == 0, "\(trace)")
            expectAlternating(world.events)
        }
    }

    /// Waits until no task holds a context that has left the flow.
    private func released(_ world: FlowWorld) async {
        await world.orchestrator.quiet()
        await until { world.counts.live == world.flow.liveContexts.count }
    }

    private func step(
        _ generator: inout SplitMix64
    ) -> (String, @MainActor @Sendable (NavigationFlow<FlowRoute>) async throws -> Void) {
        let number = Int.random(in: 0..<3, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: return ("root", { try await $0.navigateToRoot() })
        case 1, 2: return ("back \(number)", { try await $0.navigateBack(number) })
        case 3: return ("reset \(number)", { try await $0.reset(to: [.home, .item(number), .sheet(1)]) })
        case 4: return ("sheet \(number)", { try await $0.navigate(to: .sheet(number)) })
        case 5: return ("swap \(number)", { try await $0.navigate(to: .swap(number)) })
        default: return ("item \(number)", { try await $0.navigate(to: .item(number)) })
        }
    }

    /// At most one screen is on top, so each disappearance is that of the screen that appeared last.
    private func expectAlternating(_ events: [String]) {
        for (index, event) in events.enumerated() {
            let words = event.split(separator: " ")
            #expect(words.first == (index.isMultiple(of: 2) ? "appear" : "disappear"), "\(events)")
            if !index.isMultiple(of: 2) { #expect(events[index - 1].split(separator: " ").last == words.last) }
        }
        #expect(events.count.isMultiple(of: 2))
    }

    @Test("Of 50 screens only those within the live limit have a context, and the others keep a route (NAV-14)")
    func fiftyScreens() async throws {
        let world = try await FlowWorld.open { $0.liveScreens = 3 }
        for number in 1..<50 { try await world.flow.navigate(to: .item(number)) }
        await until { world.counts.live == 3 }
        #expect(world.flow.routes.count == 50)
        #expect(world.counts.created.load(ordering: .relaxed) == 50)
        #expect(world.flow.images.allSatisfy { $0 == nil })
    }
}
