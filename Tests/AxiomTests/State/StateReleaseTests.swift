// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Axiom

/// An object inside of a state that uses the store when it goes.
private final class Ghost: Sendable {
    private let onEnd: @Sendable () -> Void

    init(onEnd: @escaping @Sendable () -> Void) {
        self.onEnd = onEnd
    }

    deinit { onEnd() }
}

private struct Haunted: OwnedState {
    var n = 0
    // axiom:ignore state-reference The object shows when the framework releases the state.
    var ghost: Ghost?

    static func == (left: Self, right: Self) -> Bool { left.n == right.n && left.ghost === right.ghost }
    func hash(into hasher: inout Hasher) { hasher.combine(n) }
}

@Suite("States that use their store when they are released", .timeLimit(.minutes(10)))
struct StateReleaseTests {
    private let store = StateStore(Haunted())
    private let ended = Counter()

    private final class Counter: Sendable {
        let value = Atomic(0)
        var now: Int { value.load(ordering: .relaxed) }
    }

    /// Publishes a state with a new object whose end updates the store: impossible while the store is locked.
    private func publish(_ n: Int, _ delivery: StateDelivery = .latest) {
        let (store, ended) = (store, ended)
        store.update(delivery) { state in
            state = Haunted(
                n: n,
                ghost: Ghost {
                    store.update { $0.n += 1_000 }
                    ended.value.add(1, ordering: .relaxed)
                }
            )
        }
    }

    @Test("A state that an update replaces is released when the store is unlocked")
    func replaced() {
        for n in 1...3 { publish(n) }
        store.update { $0 = Haunted(n: 7) }
        #expect(ended.now == 3)
        #expect(store.storage.discardedCount == 0)
        #expect(store.state.n == 1_007)
    }

    @Test("A draft that an update gives up is released when the store is unlocked")
    func givenUp() {
        let (store, ended) = (store, ended)
        #expect(throws: Refusal()) {
            try store.update { state in
                state.ghost = Ghost {
                    store.update { $0.n = 5 }
                    ended.value.add(1, ordering: .relaxed)
                }
                throw Refusal()
            }
        }
        #expect(ended.now == 1)
        #expect(store.state.n == 5)
        #expect(store.storage.discardedCount == 0)
    }

    @Test("States that a slow subscriber misses are released when no lock is held, one at a time and many at once")
    func coalesced() async throws {
        var iterator = store.stream.makeAsyncIterator()
        for n in 1...40 { publish(n, n == 3 ? .critical : .latest) }
        #expect(store.storage.discardedCount == 0)
        let batch = try #require(try await iterator.takeAll())
        #expect(batch.contains { $0.n == 3 })
        #expect(store.storage.discardedCount == 0)
    }

    @Test("A batch releases the states that it leaves out when no lock is held")
    func batch() async throws {
        var iterator = store.stream.makeAsyncIterator()
        for n in 1...5 { publish(n) }
        let batch = try await iterator.takeAll()
        #expect(batch?.coalesced ?? 0 > 0)
        #expect(store.storage.discardedCount == 0)
        #expect(ended.now > 0)
    }

    @Test("A subscriber that leaves releases what was pending when no lock is held")
    func abandoned() async {
        var iterator: StateStream<Haunted>.AsyncIterator? = store.stream.makeAsyncIterator()
        for n in 1...5 { publish(n) }
        iterator = nil
        store.update { $0 = Haunted(n: 9) }
        #expect(iterator == nil)
        #expect(ended.now == 5)
        #expect(store.storage.discardedCount == 0)
        #expect(store.subscriberCount == 0)
    }

    @Test("A cancelled subscriber releases what was pending when no lock is held")
    func cancelled() async {
        let store = store
        let task = Task {
            var iterator = store.stream.makeAsyncIterator()
            for n in 1...5 { publish(n) }
            withUnsafeCurrentTask { $0?.cancel() }
            return try await iterator.next() == nil
        }
        #expect(await (try? task.value) == true)
        store.update { $0 = Haunted(n: 9) }
        #expect(ended.now == 5)
        #expect(store.storage.discardedCount == 0)
    }
}
