// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import Axiom

@Suite("Leaving a state stream", .timeLimit(.minutes(10)))
struct StateCancellationTests {
    @Test("A hundred cancelled subscribers end without an error and leave nothing in the store")
    func cancelled() async throws {
        let store = StateStore(Count())
        let begun = StateStore(Count())
        let tasks = (0..<100).map { _ in
            Task {
                for try await _ in store.stream { begun.add() }
            }
        }
        for try await count in begun.stream where count.n == 100 { break }
        #expect(store.subscriberCount == 100)
        for task in tasks { task.cancel() }
        for task in tasks { try await task.value }
        #expect(store.subscriberCount == 0)
        #expect(begun.subscriberCount == 0)
    }

    /// The CPU seconds that `count` subscribers take to leave, newest first.
    private func leaving(_ count: Int) -> Double {
        let store = StateStore(Count())
        var iterators = (0..<count).map { _ in store.stream.makeAsyncIterator() }
        let start = ThreadTime.seconds
        while iterators.popLast() != nil {}
        return ThreadTime.seconds - start
    }

    @Test("Ten times as many subscribers leave newest first in about ten times the time")
    func newestFirst() {
        var (few, many) = (Double.infinity, Double.infinity)
        // A busy machine disturbs single measurements; a square misses each time.
        for _ in 0..<20 where many >= few * 40 {
            few = min(few, leaving(2_000))
            many = min(many, leaving(20_000))
        }
        #expect(many < few * 40, "\(few) s for 2,000, \(many) s for 20,000")
    }

    @Test("Subscribers that leave in any order leave nothing, and the others get every state")
    func anyOrder() async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let store = StateStore(Count())
            var streams: [StateStream<Count>.AsyncIterator] = []
            for _ in 0..<40 {
                switch generator.index(below: 3) {
                case 0 where !streams.isEmpty: streams.remove(at: generator.index(below: streams.count))
                case 1: store.add()
                default: streams.append(store.stream.makeAsyncIterator())
                }
                #expect(store.subscriberCount == streams.count, "seed \(seed)")
            }
            store.add(.critical)
            let last = store.state.n
            for index in streams.indices {
                var states: [Int] = []
                while states.last != last, let state = try await streams[index].next() { states.append(state.n) }
                #expect(states.last == last && states == states.sorted(), "seed \(seed)")
            }
            streams = []
            #expect(store.subscriberCount == 0, "seed \(seed)")
        }
    }

    @Test("A cancelled task gets nil at once, whatever is pending")
    func cancelledBefore() async throws {
        let store = StateStore(Count())
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            var iterator = store.stream.makeAsyncIterator()
            store.add(.critical, times: 3)
            let state = try await iterator.next()
            return (state, store.subscriberCount)
        }
        let (state, subscribers) = try await task.value
        #expect(state == nil)
        #expect(subscribers == 0)
    }

    @Test("Cancelling while states pour in neither hangs nor leaves a subscriber")
    func cancelledUnderLoad() async throws {
        let store = StateStore(Count())
        for round in 0..<200 {
            let consumer = Task {
                var iterator = store.stream.makeAsyncIterator()
                while let _ = try await iterator.takeAll() {}
            }
            let producer = Task { store.add(round.isMultiple(of: 2) ? .critical : .latest, times: 20) }
            consumer.cancel()
            await producer.value
            try await consumer.value
        }
        #expect(store.subscriberCount == 0)
        #expect(store.state.n == 4000)
    }

    @Test("A released iterator, used or not, and a loop that ends with break unsubscribe")
    func letGo() async throws {
        let store = StateStore(Count())
        do {
            let unused = store.stream.makeAsyncIterator()
            var copied = unused
            #expect(store.subscriberCount == 1)
            _ = try await copied.next()
            _ = unused
        }
        #expect(store.subscriberCount == 0)
        for try await _ in store.stream {
            #expect(store.subscriberCount == 1)
            break
        }
        #expect(store.subscriberCount == 0)
    }

    @Test("The states that waited for a subscriber go with it")
    func releasesStates() {
        final class Token: Sendable {}
        struct Holding: OwnedState {
            // axiom:ignore state-reference The object shows when the framework releases the state.
            var token: Token
            static func == (left: Self, right: Self) -> Bool { left.token === right.token }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
        }
        let store = StateStore(Holding(token: Token()))
        weak var waiting: Token?
        var iterator: StateStream<Holding>.AsyncIterator? = store.stream.makeAsyncIterator()
        do {
            let token = Token()
            waiting = token
            store.update(.critical) { $0.token = token }
        }
        store.update { $0.token = Token() }
        #expect(waiting != nil)
        iterator = nil
        #expect(iterator == nil)
        #expect(waiting == nil)
    }

    @MainActor
    @Test("A second call on an iterator fails with an error that says so; the first one goes on")
    func concurrentCalls() async throws {
        let store = StateStore(Count())
        let iterator = store.stream.makeAsyncIterator()
        let first = Task { @MainActor in
            var iterator = iterator
            _ = try await iterator.next()
            return try await iterator.next()
        }
        let second = Task { @MainActor in
            var iterator = iterator
            return await #expect(throws: StateError.self) {
                while true { _ = try await iterator.next() }
            }
        }
        // On the main actor the first task runs until it waits before the second begins.
        let error = await second.value
        #expect(error?.code == .concurrentIteration)
        #expect(error?.recoverySuggestion.contains("makeAsyncIterator()") == true)
        store.add()
        #expect(try await first.value?.n == 1)
    }
}
