// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

@Suite("Checkpoints in a state stream", .timeLimit(.minutes(10)))
struct StateCheckpointTests {
    private let store = StateStore(Count())

    @Test("An iteration begins with the current state; after a break its state comes again if it is critical (STA-11)")
    func breaks() async throws {
        let checkpoint = store.stream.checkpoint()
        store.add(.critical, times: 3)
        var seen: [Int] = []
        for try await state in checkpoint.states {
            seen.append(state.n)
            if state.n == 2 { break }
        }
        #expect(checkpoint.version?.number == 1)
        for try await state in checkpoint.states {
            seen.append(state.n)
            if state.n == 3 { break }
        }
        #expect(seen == [1, 2, 2, 3])
    }

    @Test("A body that throws has not lost its state: the next iteration begins with it (STA-11)")
    func throwing() async throws {
        let checkpoint = store.stream.checkpoint()
        store.add(.critical, times: 2)
        await #expect(throws: Refusal.self) {
            for try await _ in checkpoint.states { throw Refusal() }
        }
        store.finish()
        var seen: [Int] = []
        for try await state in checkpoint.states { seen.append(state.n) }
        #expect(seen == [1, 2])
        seen = []
        for try await state in checkpoint.states { seen.append(state.n) }
        #expect(seen.isEmpty, "acknowledged states do not come again")
    }

    @Test("A cancelled iteration loses no critical state; others are coalesced into the current one (STA-12)")
    func cancelled() async throws {
        let (store, checkpoint, seen) = (store, store.stream.checkpoint(), Journal<Int>())
        let task = Task { for try await state in checkpoint.states { seen.write(state.n) } }
        await seen.wait(for: 0)
        task.cancel()
        try await task.value
        store.add(.critical, times: 2)
        store.add(.latest, times: 20)
        store.add(.critical)
        store.add()
        store.finish()
        for try await state in checkpoint.states { seen.write(state.n) }
        #expect(seen.entries == [0, 1, 2, 23, 24])
    }

    @Test("A subscriber resumes behind a version while something keeps the states; otherwise it is an error (STA-10)")
    func afterVersion() async throws {
        let keeper = store.stream.checkpoint()
        store.add(.critical)
        let version = store.version
        store.add(.critical, times: 5)
        var iterator = store.stream.checkpoint(after: version).states.makeAsyncIterator()
        for expected in 2...6 { #expect(try await iterator.next()?.n == expected) }
        keeper.acknowledge(store.version)
        #expect(store.storage.journaled == 1)
        let late = store.stream.checkpoint(after: .initial)
        var first = late.states.makeAsyncIterator()
        let error = await #expect(throws: StateError.self) { try await first.next() }
        #expect(error?.code == .criticalStatesLost)
        #expect(error?.lost == 5)
        // The rest follows.
        var second = late.states.makeAsyncIterator()
        #expect(try await second.next()?.n == 6)
        withExtendedLifetime((keeper, iterator)) {}
    }

    @Test("Beyond 1,000 critical states the oldest are lost, which the next iteration reports once (STA-10)")
    func bound() async throws {
        let checkpoint = store.stream.checkpoint()
        store.add(.critical, times: 1_250)
        #expect(store.storage.journaled == 1_000)
        var iterator = checkpoint.states.makeAsyncIterator()
        let error = await #expect(throws: StateError.self) { try await iterator.next() }
        #expect(error?.lost == 250)
        #expect(error?.message.contains("250 critical states of Count are no longer available") == true)
        store.finish()
        var seen: [Int] = []
        for try await state in checkpoint.states { seen.append(state.n) }
        #expect(seen == Array(251...1_250))
    }

    @Test("Without checkpoints the store keeps no critical states, and a released checkpoint keeps none (STA-10)")
    func releases() {
        store.add(.critical, times: 10)
        #expect(store.storage.journaled == 0)
        var checkpoint: StateCheckpoint<Count>? = store.stream.checkpoint()
        store.add(.critical, times: 10)
        #expect(store.storage.journaled == 10)
        checkpoint = nil
        #expect(checkpoint == nil && store.storage.journaled == 0)
    }

    @Test("1,000 subscribers that are cancelled, throw and resume at random process each critical state once (STA-11)")
    func randomly() async throws {
        let seed = TestSeed.drawn()
        for number in 0..<1_000 as Range<UInt64> {
            var random = SeededGenerator(seed: seed &+ number)
            try await randomHistory(&random, "seed \(seed &+ number)")
        }
    }

    private func randomHistory(_ random: inout SeededGenerator, _ comment: Comment) async throws {
        let (store, processed) = (StateStore(Count()), Journal<Int>())
        let checkpoint = store.stream.checkpoint()
        let criticals = Int.random(in: 0...40, using: &random)
        let failing = Set((0..<5).map { _ in Int.random(in: 1...40, using: &random) })
        let publisher = Task {
            for _ in 0..<criticals {
                store.add(.critical)
                await Task.yield()
            }
            store.finish()
        }
        let failed = Journal<Int>()
        for _ in 0..<5 {
            let task = Task {
                for try await state in checkpoint.states {
                    if failing.contains(state.n), !failed.entries.contains(state.n) {
                        failed.write(state.n)
                        throw Refusal()
                    }
                    processed.write(state.n)
                }
            }
            for _ in 0..<Int.random(in: 0...8, using: &random) { await Task.yield() }
            if Bool.random(using: &random) { task.cancel() }
            _ = await task.result
        }
        await publisher.value
        for try await state in checkpoint.states { processed.write(state.n) }
        let applied = processed.entries.filter { $0 > 0 }
        #expect(applied == Array(1...max(1, criticals)).filter { $0 <= criticals }, comment)
    }
}
