// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

/// The specification's targets for concurrency that other parts of the framework meet.
@MainActor
@Suite("Targets of concurrency", .serialized, .timeLimit(.minutes(10)))
struct ConcurrencyTargetTests {
    private struct Cart: OwnedState {
        var items = 0
        var total = 0
        var isOpen = false
    }

    @Test("Related changes in one update are one state for subscribers (CLI-18)")
    func batch() async throws {
        let store = StateStore(Cart())
        var states = store.stream.makeAsyncIterator()
        #expect(try await states.next() == Cart())
        store.update {
            $0.items += 1
            $0.total += 5
            $0.isOpen = true
        }
        store.update { $0.items += 1 }
        #expect(try await states.next() == Cart(items: 1, total: 5, isOpen: true))
        #expect(try await states.next() == Cart(items: 2, total: 5, isOpen: true))
    }

    @Test("Each action of 8 tasks runs once; framework/actor.wait and framework/task.startup have the times (CLI-20)")
    func contention() async throws {
        let orchestrator = Orchestrator.scripted()
        try await orchestrator.start()
        let tally = try orchestrator.makeContext(ScriptContext.self).tally
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 {
                group.addTask { for _ in 0..<1_000 { try await tally.process(.add(1)) } }
            }
            try await group.waitForAll()
        }
        #expect(await tally.state.value == 8_000)
    }

    @Test("The error of a client reaches the context's boundary without code in the context (CLI-21)")
    func propagation() async throws {
        let orchestrator = Orchestrator.scripted()
        try await orchestrator.start()
        let context = try orchestrator.makeContext(ScriptContext.self)
        await context.send(ScriptAction { try await $0.tally.process(.fail("no stock")) })
        let entry = try #require(context.errorBoundary.current)
        #expect(entry.error as? SampleError == SampleError("no stock"))
        #expect(entry.path.map(\.name) == ["TallyClient", "ScriptContext"])
    }
}
