// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

/// Counts the components that live.
private final class LifeCounter: Instrumentation {
    private let counts = Lock((created: 0, destroyed: 0))

    var created: Int { counts.withLock { $0.created } }
    var destroyed: Int { counts.withLock { $0.destroyed } }

    func created(_ instance: ComponentInstance) { counts.withLock { $0.created += 1 } }
    func destroyed(_ instance: ComponentInstance, lifetime: Int64) { counts.withLock { $0.destroyed += 1 } }
}

@MainActor
@Suite("Random lives of capabilities", .timeLimit(.minutes(10)))
struct RandomLifeTests {
    private func machine(_ random: inout SeededGenerator) -> (PartMachine, optional: Set<Int>) {
        var machine = PartMachine()
        let count = 1 + random.index(below: partTags.count)
        for index in 0..<count {
            machine.dependencies[index] = (0..<index).filter { _ in random.index(below: 3) == 0 }
        }
        let failures = random.index(below: 4) == 0 ? 4 : 0
        let dice = Lock(SeededGenerator(seed: random.next()))
        machine.onInitialize = { index in
            let (yields, fails) = dice.withLock { ($0.index(below: 3), failures > 0 && $0.index(below: failures) == 0) }
            for _ in 0..<yields { await Task.yield() }
            if fails { throw SampleError("P\(index)") }
        }
        return (machine, Set((0..<count).filter { _ in random.index(below: 2) == 0 }))
    }

    private func change<Tag: PartTag>(_ tag: Tag.Type, _ kind: CapabilityChange, _ orchestrator: Orchestrator) async {
        try? await orchestrator.capabilityChanged(Part<Tag>.self, kind)
    }

    /// Starts, changes, refreshes and stops at random, several at the same time; then stops for good.
    private func live(_ orchestrator: Orchestrator, _ count: Int, _ random: inout SeededGenerator) async {
        for _ in 0..<(1 + random.index(below: 3)) {
            let start = Task { try? await orchestrator.start() }
            if random.index(below: 4) == 0 { start.cancel() }
            if random.index(below: 3) > 0 { await start.value }
            let steps = (0..<random.index(below: 6)).map { _ in
                (random.index(below: 8), random.index(below: count), random.index(below: 5))
            }
            await withDiscardingTaskGroup { group in
                for (step, index, kind) in steps {
                    group.addTask {
                        switch step {
                        case 0: await orchestrator.shutdown()
                        case 1: await orchestrator.refreshAll()
                        case 2: await orchestrator.relieve(.memory, .critical)
                        default: await self.change(partTags[index], CapabilityChange.allCases[kind], orchestrator)
                        }
                    }
                }
            }
            await start.value
        }
        await orchestrator.shutdown()
    }

    @Test("10,000 random starts, changes, stops and failures end, and all that was created is destroyed (CAP-08)")
    func randomLives() async throws {
        let seed: UInt64 = 0x11FE
        print("Random lives: seed \(seed), \(TestScale.count(10_000)) applications")
        let counter = LifeCounter()
        for life in 0..<TestScale.count(10_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(life))
            let (machine, optional) = machine(&random)
            do {
                let orchestrator = Orchestrator(instrumentation: counter, clock: .manual(ManualTime()))
                machine.register(0..<machine.dependencies.count, in: orchestrator, optional: optional)
                await live(orchestrator, machine.dependencies.count, &random)
                #expect(orchestrator.phase != .running, "life \(life) of seed \(seed)")
            }
            let ended = machine.order(of: "terminated").count
            #expect(ended == machine.order(of: "initialized").count, "life \(life) of seed \(seed)")
        }
        #if Instrumented
        #expect(counter.created > 0)
        await until { counter.created == counter.destroyed }
        #endif
    }
}
