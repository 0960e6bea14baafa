// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

@Suite("Re-entering a state store from inside an update", .timeLimit(.minutes(10)))
struct StateReentryTests {
    @Test("A second update is discarded and counted, the first one counts, and every stream goes on")
    func update() async throws {
        let store = StateStore(Count())
        var early = store.stream.makeAsyncIterator()
        let inner = store.update { state in
            state.n = 1
            return store.update { state in
                state.n += 50
                return state.n
            }
        }
        #expect(inner == 50)
        #expect(store.state.n == 1)
        #expect(store.storage.discardedCount == 1)
        var late = store.stream.makeAsyncIterator()
        store.add()
        store.finish()
        #expect(try await early.drain() == [0, 1, 2])
        #expect(try await late.drain() == [1, 2])
    }

    @Test("An equality that updates the store is discarded and counted like any other second update")
    func equality() {
        let store = StateStore(Meddling(n: 0, onCompare: nil))
        store.update { state in
            state = Meddling(n: 1) { store.update { $0.n = 99 } }
        }
        #expect(store.state.n == 1)
        #expect(store.storage.discardedCount == 1)
    }

    /// A state that does something when it is compared.
    private struct Meddling: OwnedState {
        var n: Int
        // axiom:ignore state-reference Its comparison enters the store again.
        var onCompare: (@Sendable () -> Void)?

        static func == (left: Self, right: Self) -> Bool {
            left.onCompare?()
            return left.n == right.n
        }

        func hash(into hasher: inout Hasher) { hasher.combine(n) }
    }

    @Test("A second update that throws takes the first one with it")
    func throwing() {
        let store = StateStore(Count())
        #expect(throws: Refusal()) {
            try store.update { state in
                state.n = 1
                try store.update { _ in throw Refusal() }
            }
        }
        #expect(store.state.n == 0)
    }

    @Test("Reading the state gives the one before the update")
    func read() {
        let store = StateStore(Count(n: 7))
        let seen = store.update { state in
            state.n = 8
            return store.state.n
        }
        #expect(seen == 7)
        #expect(store.state.n == 8)
    }

    @Test("Subscribing begins with the state before the update; unsubscribing works too")
    func subscribe() async throws {
        let store = StateStore(Count())
        var leaving: StateStream<Count>.AsyncIterator? = store.stream.makeAsyncIterator()
        var iterator = store.update { state in
            state.n = 1
            leaving = nil
            return store.stream.makeAsyncIterator()
        }
        #expect(leaving == nil)
        #expect(store.subscriberCount == 1)
        #expect(try await iterator.next()?.n == 0)
        #expect(try await iterator.next()?.n == 1)
    }

    @Test("Finishing ends the streams before the update, which still takes effect")
    func finish() async throws {
        let store = StateStore(Count())
        var iterator = store.stream.makeAsyncIterator()
        store.update { state in
            state.n = 1
            store.finish()
        }
        #expect(try await iterator.drain() == [0])
        #expect(store.state.n == 1)
    }

    @Test("Two stores may update each other")
    func twoStores() {
        let first = StateStore(Count())
        let second = StateStore(Count())
        first.update { state in
            state.n = second.update { state in
                state.n = 1
                return first.state.n + state.n
            }
        }
        #expect(first.state.n == 1)
        #expect(second.state.n == 1)
    }
}
