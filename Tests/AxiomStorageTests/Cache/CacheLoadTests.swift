// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Synchronization
import Testing

@testable import Axiom
@testable import AxiomStorage

/// A load that waits until the test ends it.
private final class Gate: Sendable {
    let calls = Atomic<Int>(0)
    private let entered = OneShot<Void>()
    private let cancellation = OneShot<Void>()
    private let result = OneShot<Result<Int, any Error>>()

    func load() async throws -> Int {
        calls.add(1, ordering: .sequentiallyConsistent)
        entered.settle(())
        return try await withTaskCancellationHandler {
            try await result.value.get()
        } onCancel: {
            cancellation.settle(())
            result.settle(.failure(CancellationError()))
        }
    }

    func waitUntilEntered() async { await entered.value }
    func waitUntilCancelled() async { await cancellation.value }
    func end(_ result: Result<Int, any Error>) { self.result.settle(result) }
    var count: Int { calls.load(ordering: .sequentiallyConsistent) }
}

/// Counts loads of a key that run at the same time as another one.
private final class RunningLoads: Sendable {
    private let running = Lock<[Int: Int]>([:])
    let overlaps = Tally()

    func begin(_ key: Int) {
        let others = running.withLock { running in
            defer { running[key, default: 0] += 1 }
            return running[key, default: 0]
        }
        if others > 0 { overlaps.increment() }
    }

    func end(_ key: Int) { running.withLock { $0[key, default: 0] -= 1 } }
}

@Suite("The loads of a cache", .timeLimit(.minutes(10)))
struct CacheLoadTests {
    private struct Broken: Error {}

    private let time = ManualTime()

    private func cache(stale: Duration = .zero) throws -> Cache<Int, Int> {
        try Cache("loads", limits: CacheLimits(staleLifetime: stale), clock: .manual(time))
    }

    /// Waits until so many callers wait for loads.
    private func waitForCallers(_ cache: Cache<Int, Int>, _ count: Int) async {
        while cache.flights.callerCount < count { await Task.yield() }
    }

    @Test("Callers at the same time share one load, and later ones get its value (CLI-15)")
    func shared() async throws {
        let (cache, gate) = (try cache(), Gate())
        let callers = (0..<20).map { _ in Task { try await cache.value(for: 1) { try await gate.load() } } }
        await waitForCallers(cache, 20)
        await gate.waitUntilEntered()
        gate.end(.success(7))
        for caller in callers { #expect(try await caller.value == 7) }
        #expect(try await cache.value(for: 1) { throw Broken() } == 7)
        #expect(gate.count == 1 && cache.statistics.loads == 1 && cache.statistics.hits == 1)
    }

    @Test("An error is not cached: every caller of the load gets it, and the next one loads again (CLI-15)")
    func errors() async throws {
        let (cache, gate) = (try cache(), Gate())
        let callers = (0..<3).map { _ in Task { try await cache.value(for: 1) { try await gate.load() } } }
        await waitForCallers(cache, 3)
        await gate.waitUntilEntered()
        gate.end(.failure(Broken()))
        for caller in callers { await #expect(throws: Broken.self) { try await caller.value } }
        #expect(cache.count == 0)
        #expect(try await cache.value(for: 1) { 8 } == 8)
        let statistics = cache.statistics
        #expect(statistics.failedLoads == 1 && statistics.loads == 2)
    }

    @Test("A cancelled caller returns at once, and the load goes on for the others (CLI-15)")
    func oneCancelled() async throws {
        let (cache, gate) = (try cache(), Gate())
        let first = Task { try await cache.value(for: 1) { try await gate.load() } }
        await gate.waitUntilEntered()
        let second = Task { try await cache.value(for: 1) { try await gate.load() } }
        await waitForCallers(cache, 2)
        first.cancel()
        await #expect(throws: CancellationError.self) { try await first.value }
        gate.end(.success(7))
        #expect(try await second.value == 7)
        #expect(cache.value(for: 1) == 7)
    }

    @Test("The cancellation of the last caller cancels the load, and the next caller begins another one (CLI-15)")
    func allCancelled() async throws {
        let (cache, gate) = (try cache(), Gate())
        let callers = (0..<2).map { _ in Task { try await cache.value(for: 1) { try await gate.load() } } }
        await waitForCallers(cache, 2)
        await gate.waitUntilEntered()
        for caller in callers { caller.cancel() }
        await gate.waitUntilCancelled()
        for caller in callers { await #expect(throws: CancellationError.self) { try await caller.value } }
        #expect(try await cache.value(for: 1) { 9 } == 9)
    }

    @Test("A load that began before a change does not store its value, and later callers do not join it (PER-04)")
    func outdatedLoads() async throws {
        let changes: [(Int?, @Sendable (Cache<Int, Int>) -> Void)] = [
            (nil, { $0.removeValue(for: 1) }), (nil, { $0.clear() }), (5, { $0.store(5, for: 1) }),
        ]
        for (left, change) in changes {
            let (cache, gate) = (try cache(), Gate())
            let caller = Task { try await cache.value(for: 1) { try await gate.load() } }
            await gate.waitUntilEntered()
            change(cache)
            if left == nil { #expect(try await cache.value(for: 1) { 6 } == 6) }
            gate.end(.success(7))
            #expect(try await caller.value == 7)
            #expect(cache.value(for: 1) == left ?? 6)
        }
    }

    @Test("If the load fails, a stale value is served with its age, as long as it is kept (PER-06, CAP-20)")
    func staleIfError() async throws {
        let cache = try cache(stale: .seconds(60))
        let failing: @Sendable () async throws -> Int = { throw Broken() }
        #expect(await cache.answer(for: 1, orLoad: failing).value == nil)
        #expect("\(await cache.answer(for: 1) { 7 })" == "fresh(7)")
        time.advance(by: .seconds(300))
        #expect("\(await cache.answer(for: 1, orLoad: failing))" == "cached(7, staleness: 300.0 seconds)")
        time.advance(by: .seconds(60))
        #expect("\(await cache.answer(for: 1, orLoad: failing))" == "cached(7, staleness: 360.0 seconds)")
        await #expect(throws: Broken.self, "value(for:orLoad:) serves no stale value") {
            try await cache.value(for: 1) { throw Broken() }
        }
        time.advance(by: .nanoseconds(1))
        #expect(await cache.answer(for: 1, orLoad: failing).value == nil)
        #expect(cache.count == 0 && cache.statistics.isConserved)
        let statistics = cache.statistics
        #expect(statistics.hits == 1 && statistics.staleHits == 1 && statistics.misses == 4)
    }

    @Test("An answer is fresh, or cached with its staleness, or empty with a reason (CAP-19, CAP-20)")
    func answers() async throws {
        let cache = try cache(stale: .seconds(60))
        let failing: @Sendable () async throws -> Int = { throw Broken() }
        let none = await cache.answer(for: 1, orLoad: failing)
        #expect("\(none)".hasPrefix("empty") && none.value == nil)
        #expect("\(await cache.answer(for: 1) { 7 })" == "fresh(7)")
        #expect("\(await cache.answer(for: 1, orLoad: failing))" == "cached(7, staleness: 0.0 seconds)")
        time.advance(by: .seconds(350))
        #expect("\(await cache.answer(for: 1, orLoad: failing))" == "cached(7, staleness: 350.0 seconds)")
    }

    @Test("A cancelled caller gets no stale value (PER-06)")
    func cancelledStale() async throws {
        let (cache, gate) = (try cache(stale: .seconds(60)), Gate())
        cache.store(7, for: 1)
        time.advance(by: .seconds(301))
        let caller = Task { await cache.answer(for: 1) { try await gate.load() } }
        await gate.waitUntilEntered()
        caller.cancel()
        #expect(await caller.value.value == nil)
    }

    @Test("A value that is loaded again replaces the one that expired (PER-04)")
    func reload() async throws {
        let cache = try cache()
        #expect(try await cache.value(for: 1) { 1 } == 1)
        time.advance(by: .seconds(301))
        #expect(try await cache.value(for: 1) { 2 } == 2)
        #expect(cache.statistics.removals == [.expired: 1] && cache.count == 1)
        time.advance(by: .seconds(301))
        await #expect(throws: Broken.self) { try await cache.value(for: 1) { throw Broken() } }
        #expect(cache.count == 0 && cache.statistics.isConserved)
    }

    @Test(
        "Random callers, cancellations and changes: no load runs twice at the same time, and all callers end (CLI-15)"
    )
    func random() async throws {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(4_000) {
            let cancels = history % 2 == 1
            let cache = try Cache<Int, Int>("random", limits: CacheLimits(entries: 3), clock: .manual(time))
            let running = RunningLoads()
            await withTaskGroup(of: Void.self) { group in
                var random = SeededGenerator(seed: seed, stream: UInt64(history))
                for _ in 0..<20 {
                    let (key, choice, spins) = (random.index(below: 5), random.index(below: 10), random.index(below: 5))
                    group.addTask {
                        let caller = Task {
                            try await cache.value(for: key) {
                                running.begin(key)
                                for _ in 0..<spins { await Task.yield() }
                                running.end(key)
                                if choice == 1 { throw Broken() }
                                return key
                            }
                        }
                        if choice == 0 { cache.evacuate(0.5) }
                        for _ in 0..<spins { await Task.yield() }
                        if choice == 2, cancels { caller.cancel() }
                        switch await caller.result {
                        case .success(let value): #expect(value == key)
                        case .failure(let error): #expect(error is Broken || error is CancellationError)
                        }
                    }
                }
            }
            // A load whose callers were all cancelled can still run while the next one begins.
            if !cancels { #expect(running.overlaps.value == 0, "history \(history)") }
            let statistics = cache.statistics
            #expect(statistics.isConserved && statistics.entries <= 3)
            #expect(statistics.hits + statistics.misses == 20)
        }
    }
}
