// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

@MainActor
@Suite("State batches on the main actor", .timeLimit(.minutes(10)))
struct StateBatchTests {
    @Test("A consumer takes each burst as one batch, however many states the burst has")
    func oneBatchPerBurst() async throws {
        let store = StateStore(Count())
        let taken = StateStore(Count())
        var batches: [Int] = []
        let iterator = store.stream.makeAsyncIterator()
        let consumer = Task { @MainActor in
            var iterator = iterator
            while let batch = try await iterator.takeAll() {
                batches.append(batch.count)
                taken.update { $0.n = batch.latest.n }
            }
        }
        var acknowledged = taken.stream.makeAsyncIterator()
        for burst in 1...20 {
            // The consumer cannot run in here: this code is on its actor and does not wait.
            store.add(.critical, times: 30)
            store.add(times: 20)
            while let state = try await acknowledged.next(), state.n < burst * 50 {}
        }
        store.finish()
        try await consumer.value
        #expect(batches == Array(repeating: 31, count: 20))
    }

    @Test("Taking what is pending does not leave the actor")
    func noHop() async throws {
        let store = StateStore(Count())
        var iterator = store.stream.makeAsyncIterator()
        var othersRan = false
        let other = Task { @MainActor in othersRan = true }
        #expect(try await iterator.takeAll()?.latest.n == 0)
        store.add()
        #expect(try await iterator.next()?.n == 1)
        #expect(!othersRan)
        await other.value
        #expect(othersRan)
    }
}
