// SPDX-License-Identifier: Apache-2.0

import Synchronization
import Testing

@testable import Axiom

@Suite("State store", .timeLimit(.minutes(10)))
struct StateStoreTests {
    @Test("3,200 concurrent updates from 64 tasks follow one another and leave exactly their sum (STA-05)")
    func atomic() async {
        let store = StateStore(Count())
        let bodies = Bodies()
        await withTaskGroup { group in
            for _ in 0..<64 {
                group.addTask {
                    for _ in 0..<50 {
                        store.update { state in
                            bodies.enter()
                            state.n += 1
                            bodies.leave()
                        }
                    }
                }
            }
        }
        #expect(store.state.n == 3200)
        #expect(bodies.overlaps == 0)
    }

    /// Counts the bodies that found another one running.
    private final class Bodies: Sendable {
        private let inside = Atomic(0)
        private let overlapping = Atomic(0)

        var overlaps: Int { overlapping.load(ordering: .relaxed) }

        func enter() {
            // Long enough for a body on another core to run into this one, were nothing to keep it out.
            for _ in 0..<100 where inside.add(1, ordering: .relaxed).newValue > 100 {
                overlapping.add(1, ordering: .relaxed)
            }
        }

        func leave() {
            inside.subtract(100, ordering: .relaxed)
        }
    }

    @Test("An update whose body throws changes nothing, publishes nothing and passes the error on (CLI-13)")
    func rollsBack() async throws {
        let store = StateStore(Count(n: 1))
        var iterator = store.stream.makeAsyncIterator()
        #expect(throws: Refusal()) {
            try store.update { state in
                state.n = 99
                throw Refusal()
            }
        }
        #expect(store.state.n == 1)
        store.add()
        store.finish()
        #expect(try await iterator.drain() == [1, 2])
    }

    @Test("A result equal to the state before is not published, critical or not (STA-14)")
    func skipsEqual() async throws {
        let store = StateStore(Count(n: 1))
        var iterator = store.stream.makeAsyncIterator()
        store.update { $0.n = 1 }
        store.update(.critical) { state in
            state.n += 1
            state.n -= 1
        }
        store.finish()
        #expect(try await iterator.drain() == [1])
    }

    @Test("The body's result is the update's, Sendable or not")
    func returnsResult() {
        final class Local {}
        let local = Local()
        let store = StateStore(Count(n: 5))
        let before = store.update { state in
            defer { state.n = 6 }
            return state.n
        }
        #expect(before == 5)
        #expect(store.update { _ in local } === local)
    }

    @Test("A store that finished still holds state; a late subscriber gets it and then the end")
    func finished() async throws {
        let store = StateStore(Count())
        store.finish()
        store.finish()
        store.add()
        #expect(store.state.n == 1)
        #expect(store.subscriberCount == 0)
        var iterator = store.stream.makeAsyncIterator()
        #expect(try await iterator.drain() == [1])
        #expect(try await iterator.next() == nil)
    }

    @Test("A store that goes away ends its streams after what is pending, and takes its states along")
    func goesAway() async throws {
        final class Token: Sendable {}
        struct Holding: OwnedState {
            // axiom:ignore state-reference The object shows when the framework releases the state.
            let token: Token
            static func == (left: Self, right: Self) -> Bool { left.token === right.token }
            func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(token)) }
        }
        weak var token: Token?
        do {
            var store: StateStore? = StateStore(Holding(token: Token()))
            token = store?.state.token
            let stream = try #require(store?.stream)
            var iterator = stream.makeAsyncIterator()
            store = nil
            #expect(try await iterator.next() != nil)
            #expect(try await iterator.next() == nil)
        }
        #expect(token == nil)
    }

    @Test("An actor uses it as the documentation shows")
    func inAnActor() async throws {
        actor Client {
            private let store = StateStore(Count())
            var state: Count { store.state }
            nonisolated var stateStream: StateStream<Count> { store.stream }
            private var calls = 0

            func process(_ amount: Int) async throws {
                calls += 1
                store.update { $0.n += amount }
                try store.update(.critical) { state in
                    if state.n > 10 { throw Refusal() }
                    state.n += self.calls
                }
            }
        }
        let client = Client()
        var iterator = client.stateStream.makeAsyncIterator()
        try await client.process(3)
        await #expect(throws: Refusal()) { try await client.process(30) }
        #expect(await client.state.n == 34)
        #expect(try await iterator.takeAll()?.map(\.n) == [4, 34])
    }
}
