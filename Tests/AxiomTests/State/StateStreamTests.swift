// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

@Suite("State stream", .timeLimit(.minutes(10)))
struct StateStreamTests {
    @Test("Each subscriber first gets the state current when it subscribed, then every change in order")
    func independent() async throws {
        let store = StateStore(Count())
        var first = store.stream.makeAsyncIterator()
        store.add(times: 3)
        var second = store.stream.makeAsyncIterator()
        store.add(times: 3)
        #expect(store.subscriberCount == 2)
        store.finish()
        #expect(try await first.drain() == [0, 1, 2, 3, 4, 5, 6])
        #expect(try await second.drain() == [3, 4, 5, 6])
        #expect(store.subscriberCount == 0)
    }

    @Test("A subscriber that takes nothing does not hold up one that takes everything")
    func slowAndFast() async throws {
        let store = StateStore(Count())
        var slow = store.stream.makeAsyncIterator()
        var fast = store.stream.makeAsyncIterator()
        #expect(try await fast.next()?.n == 0)
        for n in 1...500 {
            store.add(n.isMultiple(of: 100) ? .critical : .latest)
            #expect(try await fast.next()?.n == n)
        }
        let batch = try #require(try await slow.takeAll())
        #expect(batch.map(\.n) == [100, 200, 300, 400, 500])
        #expect(batch.latest.n == 500)
        #expect(batch.count + batch.coalesced == 501)
    }

    @Test("Under concurrency each subscriber sees the order of mutation, ends with the last state and loses no count")
    func concurrent() async throws {
        let store = StateStore(Count())
        let consumers = (0..<4).map { _ in
            let iterator = store.stream.makeAsyncIterator()
            return iterator
        }
        try await withThrowingTaskGroup { group in
            for iterator in consumers {
                nonisolated(unsafe) let iterator = iterator
                group.addTask {
                    var iterator = iterator
                    var (last, total) = (-1, 0)
                    while let batch = try await iterator.takeAll() {
                        for state in batch {
                            #expect(state.n > last)
                            last = state.n
                        }
                        total += batch.count + batch.coalesced
                    }
                    #expect(last == 4000)
                    #expect(total == 4001)
                }
            }
            await withTaskGroup { writers in
                for writer in 0..<8 {
                    writers.addTask { store.add(writer == 0 ? .critical : .latest, times: 500) }
                }
            }
            store.finish()
            try await group.waitForAll()
        }
    }

    @Test("A thousand critical states wait; one more ends that subscription, after all of them, with an error")
    func stalls() async throws {
        let store = StateStore(Count())
        var slow = store.stream.makeAsyncIterator()
        store.add(.critical, times: 1000)
        #expect(store.subscriberCount == 1)
        store.add(times: 20)
        #expect(store.subscriberCount == 1)
        var other = store.stream.makeAsyncIterator()
        store.add(.critical)
        #expect(store.subscriberCount == 1)
        store.add()
        for n in 1...1000 { #expect(try await slow.next()?.n == n) }
        #expect(try await slow.next()?.n == 1020)
        let error = await #expect(throws: StateError.self) { try await slow.next() }
        #expect(error?.code == .subscriberStalled)
        #expect(error?.stateType == "Count")
        #expect(error?.message.contains("1000 critical states") == true)
        #expect(error?.recoverySuggestion.contains("Take states faster") == true)
        #expect(try await slow.next() == nil)
        #expect(try await other.takeAll()?.map(\.n) == [1021, 1022])
    }

    @Test("Taking a critical state makes room for another")
    func doesNotStall() async throws {
        let store = StateStore(Count())
        var iterator = store.stream.makeAsyncIterator()
        store.add(.critical, times: 1000)
        for n in 1...2000 {
            #expect(try await iterator.next()?.n == n)
            store.add(.critical)
        }
        #expect(store.subscriberCount == 1)
        #expect(try await iterator.takeAll()?.count == 1000)
    }

    @Test("A stream of a store that was released gives the last state to each subscriber, and ends")
    func released() async throws {
        let stream = StateStore(Count(n: 7)).stream
        for _ in 0..<2 {
            var iterator = stream.makeAsyncIterator()
            #expect(try await iterator.drain() == [7])
        }
    }
}
