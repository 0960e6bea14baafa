// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import Axiom

#if Instrumented
@Suite("What a state store reports", .timeLimit(.minutes(10)))
struct StateProbeTests {
    private let time = ManualTime()
    private let probe = RecordingProbe()

    private func makeStore() -> StateStore<Count> {
        StateStore(Count(), probe: probe, clock: .manual(time))
    }

    @Test("Each change is one update, subscribers or not; an equal state and a failed update are none")
    func updates() {
        let store = makeStore()
        store.add(times: 5)
        store.update { $0.n = 5 }
        try? store.update { state in
            state.n = 9
            throw Refusal()
        }
        #expect(probe.now.updates == 5)
        #expect(probe.now.coalesced == 0)
        #expect(probe.now.propagations == [])
    }

    @Test("Propagation is the age of the oldest change in the delivery; the first state has none")
    func propagation() async throws {
        let store = makeStore()
        var iterator = store.stream.makeAsyncIterator()
        time.advance(by: .seconds(1))
        #expect(try await iterator.next()?.n == 0)
        #expect(probe.now.propagations == [])
        store.add()
        time.advance(by: .milliseconds(3))
        store.add()
        time.advance(by: .milliseconds(4))
        #expect(try await iterator.next()?.n == 1)
        #expect(try await iterator.next()?.n == 2)
        #expect(probe.now.propagations == [7_000_000, 4_000_000])
    }

    @Test("States that were coalesced count for the age of what replaced them")
    func propagationOfCoalesced() async throws {
        let store = makeStore()
        var one = store.stream.makeAsyncIterator()
        var all = store.stream.makeAsyncIterator()
        for _ in 0..<30 {
            store.add()
            time.advance(by: .milliseconds(1))
        }
        #expect(try await one.next()?.n != 1)
        #expect(try await all.takeAll()?.latest.n == 30)
        #expect(probe.now.propagations == [30_000_000, 30_000_000])
    }

    @Test("Coalesced states are counted once for each subscriber that missed them, wherever they collapsed")
    func coalesced() async throws {
        let store = makeStore()
        var one = store.stream.makeAsyncIterator()
        var all = store.stream.makeAsyncIterator()
        store.add(times: 9)
        #expect(probe.now.coalesced == 0)
        store.add()
        #expect(probe.now.coalesced == 20)
        store.add(times: 3)
        #expect(try await all.takeAll()?.coalesced == 13)
        #expect(probe.now.coalesced == 23)
        store.finish()
        #expect(try await one.drain() == [10, 11, 12, 13])
        #expect(probe.now.coalesced == 23)
    }

    @Test("Under concurrency, delivered plus coalesced is what was offered")
    func conservation() async throws {
        let store = StateStore(Count(), probe: probe)
        let delivered = try await withThrowingTaskGroup { group in
            for consumer in 0..<4 {
                nonisolated(unsafe) let subscribed = store.stream.makeAsyncIterator()
                group.addTask {
                    var iterator = subscribed
                    if consumer.isMultiple(of: 2) { return try await iterator.drain().count }
                    var count = 0
                    while let batch = try await iterator.takeAll() { count += batch.count }
                    return count
                }
            }
            await withTaskGroup { writers in
                for _ in 0..<8 { writers.addTask { store.add(times: 500) } }
            }
            store.finish()
            return try await group.reduce(0, +)
        }
        #expect(probe.now.updates == 4000)
        #expect(delivered + probe.now.coalesced == 4 * 4001)
    }

    @Test("A stalled subscription is reported once, with the state that was dropped")
    func stall() {
        let store = makeStore()
        let stalled = [store.stream.makeAsyncIterator(), store.stream.makeAsyncIterator()]
        store.add(.critical, times: 1000)
        #expect(probe.now.drops == [])
        store.add(.critical, times: 50)
        #expect(probe.now.drops == [1, 1])
        withExtendedLifetime(stalled) {}
    }

    @Test("The probe is called with no lock held: it can use the store")
    func calledOutsideTheLock() async throws {
        let reached = Lock<StateStore<Count>?>(nil)
        let probe = RecordingProbe {
            guard let store = reached.withLock({ $0.take() }) else { return }
            store.add()
        }
        let store = StateStore(Count(), probe: probe)
        reached.withLock { $0 = store }
        var iterator = store.stream.makeAsyncIterator()
        store.add()
        store.finish()
        #expect(try await iterator.drain() == [0, 1, 2])
    }
}
#endif
