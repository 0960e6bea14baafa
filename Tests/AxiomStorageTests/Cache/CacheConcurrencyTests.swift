// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation
import Synchronization
import Testing

@Suite("A cache that threads share", .timeLimit(.minutes(10)))
struct CacheConcurrencyTests {
    /// Runs `body` so many times, in as many threads as there are processors. Returns when all have ended and hold nothing.
    private static func run(_ times: Int, _ body: @Sendable (Int) -> Void) {
        DispatchQueue.concurrentPerform(iterations: times, execute: body)
    }

    @Test("The limits hold at every instant, values are never mixed up, and each is released once (CLI-15)")
    func limits() throws {
        let seed = TestSeed.drawn()
        let alive = CountedValue.Tracker()
        let steps = TestScale.count(200_000)
        do {
            let cache = try Cache<CollidingKey, CountedValue>(
                "threads",
                limits: CacheLimits(entries: 50),
                cost: .units(120) { _, value in value.number % 5 }
            )
            let (wrong, excess) = (Tally(), Tally())
            Self.run(4) { thread in
                var random = SeededGenerator(seed: seed, stream: UInt64(thread))
                for _ in 0..<steps {
                    let number = random.index(below: 100)
                    let key = CollidingKey(number: number, hashes: 60)
                    switch random.index(below: 40) {
                    case 0..<8: cache.store(CountedValue(number, alive), for: key)
                    case 8: cache.removeValue(for: key)
                    case 9: cache.evacuate(0.2)
                    case 10 where random.index(below: 20) == 0: cache.clear()
                    case 11:
                        let statistics = cache.statistics
                        if statistics.entries > 50 || statistics.cost > 120 || !statistics.isConserved {
                            excess.increment()
                        }
                    default:
                        if let value = cache.value(for: key), value.number != number { wrong.increment() }
                    }
                }
            }
            #expect(wrong.value == 0 && excess.value == 0)
            let statistics = cache.statistics
            #expect(statistics.isConserved && statistics.entries == alive.value)
        }
        #expect(alive.value == 0)
    }

    @Test("Requests of all threads are counted (CLI-15)")
    func counts() throws {
        let cache = try Cache<Int, Int>("counts")
        for key in 0..<50 { cache.store(key, for: key) }
        let steps = TestScale.count(200_000)
        Self.run(4) { thread in
            for step in 0..<steps { _ = cache.value(for: (step + thread) % 100) }
        }
        let statistics = cache.statistics
        #expect(statistics.hits + statistics.misses == UInt64(4 * steps))
        #expect(statistics.hits == UInt64(2 * steps))
    }

    /// Uses the cache from its hash and its comparison.
    private struct CuriousKey: Hashable {
        let number: Int
        let use: @Sendable () -> Void

        static func == (left: CuriousKey, right: CuriousKey) -> Bool {
            left.use()
            return left.number == right.number
        }

        func hash(into hasher: inout Hasher) {
            use()
            hasher.combine(number % 3)
        }
    }

    @Test(
        "Keys, values and costs that use the cache themselves do not deadlock: no code of the user runs under the lock"
    )
    func reentrancy() throws {
        let other = try Cache<Int, Int>("inner")
        final class Reference: Sendable {
            let cache = Lock<Cache<CuriousKey, CountedValue>?>(nil)
        }
        let reference = Reference()
        let use: @Sendable () -> Void = {
            other.store(1, for: 1)
            _ = reference.cache.withLock { $0 }?.statistics
        }
        let alive = CountedValue.Tracker(onRelease: use)
        let cache = try Cache<CuriousKey, CountedValue>(
            "curious",
            limits: CacheLimits(entries: 4),
            cost: .units(10) { _, _ in
                use()
                return 1
            }
        )
        reference.cache.withLock { $0 = cache }
        for number in 0..<200 {
            let key = CuriousKey(number: number % 9, use: use)
            cache.store(CountedValue(number, alive), for: key)
            _ = cache.value(for: key)
            _ = cache.lookup(key)
            if number % 10 == 0 { cache.removeValue(for: key) }
        }
        cache.evacuate(0.5)
        cache.clear()
        #expect(cache.statistics.isConserved && alive.value == 0)
        reference.cache.withLock { $0 = nil }
    }
}
