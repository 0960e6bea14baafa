// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Testing

@Suite("Stampedes on a cache", .timeLimit(.minutes(10)))
struct StampedeTests {
    private final class Sums: Instrumentation {
        private struct Recorder: Signal {
            let name: String
            let sums: Sums

            func add(_ amount: Int) { sums.table.withLock { $0[name, default: 0] += amount } }
        }

        let table = Lock<[String: Int]>([:])

        func signal(_ family: SignalFamily, _ labels: [String]) -> (any Signal)? {
            Recorder(name: family.name, sums: self)
        }

        var stampedes: Int { table.withLock { $0["axiom_cache_stampedes_total"] ?? 0 } }
        var loads: Int { table.withLock { $0["axiom_cache_stampede_loads_total"] ?? 0 } }
    }

    private let sums = Sums()
    private let time = ManualTime()

    @MainActor
    private func cache() throws -> Cache<Int, Int> {
        try Orchestrator(instrumentation: sums).cache("prices", clock: .manual(time))
    }

    @Test("Callers that miss one key and all load it are a stampede, each time; shared loads are none")
    @MainActor
    func counted() async throws {
        let cache = try cache()
        for round in 1...3 {
            for _ in 0..<30 { #expect(cache.value(for: 7) == nil) }
            for number in 1...30 {
                cache.store(round, for: 7)
                #expect(sums.stampedes == (number < 10 ? round - 1 : round), "the tenth load")
            }
            #expect(sums.loads == round * 30)
            cache.removeValue(for: 7)
        }
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<30 { group.addTask { _ = try? await cache.value(for: 8) { 8 } } }
        }
        #expect(sums.stampedes == 3)
    }

    @Test("Misses without loads, loads without misses and loads after a long time are none")
    @MainActor
    func others() throws {
        let cache = try cache()
        for _ in 0..<100 { _ = cache.value(for: 1) }
        cache.store(1, for: 1)
        cache.removeValue(for: 1)
        for _ in 0..<100 { cache.store(2, for: 2) }
        for _ in 0..<30 { _ = cache.lookup(3) }
        for _ in 0..<30 { cache.store(3, for: 3) }
        for _ in 0..<30 { _ = cache.value(for: 4) }
        time.advance(by: .seconds(31))
        for _ in 0..<30 { cache.store(4, for: 4) }
        for key in 100..<130 {
            time.advance(by: .seconds(31))
            _ = cache.value(for: 5)
            cache.store(key, for: key)
        }
        for _ in 0..<30 { cache.store(5, for: 5) }
        #expect(sums.stampedes == 0 && sums.loads == 0)
    }

    @Test("Callers of different keys, few of one key, and one caller after the other are none", arguments: 0..<8)
    @MainActor
    func healthy(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let cache = try cache()
        var waiting: [Int: Int] = [:]
        for _ in 0..<20_000 {
            let key = Int.random(in: 0..<200, using: &random)
            if waiting[key, default: 0] < 5, cache.value(for: key) == nil { waiting[key, default: 0] += 1 }
            if let (loaded, callers) = waiting.randomElement(using: &random), callers > 0 {
                cache.store(1, for: loaded)
                waiting[loaded] = callers - 1
            }
            if Int.random(in: 0..<50, using: &random) == 0 { time.advance(by: .seconds(20)) }
        }
        #expect(sums.stampedes == 0, "seed \(seed), run \(run)")
    }
}
#endif
