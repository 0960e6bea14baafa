// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomStorage
import Testing

@MainActor
@Suite("The signals of a cache", .timeLimit(.minutes(10)))
struct CacheSignalsTests {
    /// Keeps the sums of signals.
    private final class Sums: Instrumentation {
        private struct Recorder: Signal {
            let name: String
            let sums: Sums

            func add(_ amount: Int) { sums.table.withLock { $0[name, default: 0] += amount } }
            func observe(nanoseconds: Int64) { add(Int(nanoseconds)) }
        }

        let table = Lock<[String: Int]>([:])
        let bindings = Lock(0)

        func signal(_ family: SignalFamily, _ labels: [String]) -> (any Signal)? {
            guard family.name.hasPrefix("axiom_cache_") else { return nil }
            let name = "\(family.name.dropFirst("axiom_cache_".count)) \(labels.joined(separator: " "))"
            bindings.withLock { $0 += 1 }
            table.withLock { $0[name] = $0[name] ?? 0 }
            return Recorder(name: name, sums: self)
        }

        subscript(_ name: String) -> Int? { table.withLock { $0[name] } }
    }

    private let sums = Sums()
    private let time = ManualTime()

    @Test("Requests, entries and evictions are recorded, each series bound once and from 0 (PER-04, CLI-15)")
    func signals() throws {
        let orchestrator = Orchestrator(instrumentation: sums)
        var cache: Cache<Int, Int>? = try orchestrator.cache(
            "products",
            limits: CacheLimits(entries: 10, staleLifetime: .seconds(60)),
            clock: .manual(time)
        )
        let bindings = sums.bindings.withLock { $0 }
        #expect(bindings == 10 && sums["requests_total products hit"] == 0)
        for key in 0..<12 { cache?.store(key, for: key) }
        #expect(sums["entries products"] == 10 && sums["evictions_total products capacity"] == 2)
        _ = cache?.value(for: 11)
        _ = cache?.value(for: 99)
        cache?.store(7, for: 11)
        time.advance(by: .seconds(301))
        _ = cache?.lookup(11)
        #expect(sums["requests_total products hit"] == 1 && sums["requests_total products miss"] == 1)
        #expect(sums["requests_total products stale"] == 1)
        time.advance(by: .seconds(60))
        _ = cache?.value(for: 11)
        #expect(sums["evictions_total products expired"] == 1 && sums["entries products"] == 9)
        cache?.evacuate(0.5)
        #expect(sums["evictions_total products pressure"] == 5 && sums["entries products"] == 4)
        cache?.clear()
        #expect(sums["entries products"] == 0 && sums["evictions_total products replaced"] == nil)
        cache?.store(1, for: 1)
        cache = nil
        #expect(sums["entries products"] == 0, "a cache that is released has no entries")
        #expect(sums.bindings.withLock { $0 } == bindings)
    }

    @Test("Each request that loads or waits for a load records its time, and a hit none")
    func loads() async throws {
        let orchestrator = Orchestrator(instrumentation: sums)
        let cache: Cache<Int, Int> = try orchestrator.cache("prices", clock: .manual(time))
        let (time, gate) = (time, AsyncStream<Void>.makeStream())
        async let first = cache.value(for: 1) {
            for await _ in gate.stream { break }
            time.advance(by: .milliseconds(30))
            return 7
        }
        while cache.statistics.loads < 1 { await Task.yield() }
        time.advance(by: .milliseconds(5))
        async let second = cache.value(for: 1) { 8 }
        while sums["requests_total prices miss"] != 2 { await Task.yield() }
        gate.continuation.finish()
        #expect(try await [first, second] == [7, 7])
        let waited = try #require(sums["load_seconds prices"])
        // The second one may read the clock before or after the load ends.
        #expect(waited == 65_000_000 || waited == 35_000_000, "35 ms of the load, and up to 30 ms of the wait")
        #expect(try await cache.value(for: 1) { 9 } == 7)
        #expect(sums["load_seconds prices"] == waited)
        await #expect(throws: CancellationError.self) {
            try await cache.value(for: 2) {
                time.advance(by: .milliseconds(3))
                throw CancellationError()
            }
        }
        #expect(sums["load_seconds prices"] == waited + 3_000_000, "a load that fails took its time too")
    }

    @Test("Hits are reported in batches, and none is lost (CLI-15)")
    func batches() throws {
        let orchestrator = Orchestrator(instrumentation: sums)
        let cache: Cache<Int, Int> = try orchestrator.cache("numbers", clock: .manual(time))
        cache.store(1, for: 1)
        for _ in 0..<40 { _ = cache.value(for: 1) }
        #expect(sums["requests_total numbers hit"] == 40, "the first 64 at once")
        for _ in 0..<1_000 { _ = cache.value(for: 1) }
        #expect(try #require(sums["requests_total numbers hit"]) > 1_040 - 64)
        time.advance(by: .milliseconds(1_001))
        _ = cache.value(for: 1)
        #expect(sums["requests_total numbers hit"] == 1_041, "after a second at once")
        _ = cache.value(for: 1)
        #expect(cache.statistics.hits == 1_042)
        #expect(sums["requests_total numbers hit"] == 1_042, "reading the statistics reports the rest")
    }

    @Test("The orchestrator relieves its caches when memory runs short (CLI-15, MEM-02)")
    func pressure() async throws {
        let orchestrator = Orchestrator(instrumentation: sums)
        let cache: Cache<Int, Int> = try orchestrator.cache("numbers", cost: .bytes(100) { _, _ in 4 })
        for key in 0..<8 { cache.store(key, for: key) }
        try await orchestrator.start()
        #expect(await orchestrator.relieve(.memory, .warning) == 16)
        #expect(cache.count == 4 && sums["evictions_total numbers pressure"] == 4)
        await orchestrator.shutdown()
    }
}
#endif
