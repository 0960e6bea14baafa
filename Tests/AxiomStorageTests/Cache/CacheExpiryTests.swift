// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomStorage

@Suite("Expired values of a cache", .timeLimit(.minutes(10)))
struct CacheExpiryTests {
    private let time = ManualTime()

    private func cache(_ limits: CacheLimits, cost: CacheCost<Int, Int>? = nil) throws -> Cache<Int, Int> {
        try Cache("test", limits: limits, cost: cost, clock: .manual(time))
    }

    @Test("A full cache gives up what has expired, and no fresh value", arguments: [0, 100])
    func full(staleSeconds: Int) throws {
        let limits = CacheLimits(staleLifetime: .seconds(staleSeconds))
        let cache = try cache(limits)
        for number in 0..<50 { cache.store(number, for: number) }
        time.advance(by: .seconds(200 + staleSeconds))
        for number in 50..<100 { cache.store(number, for: number) }
        time.advance(by: .seconds(101))
        for number in 100..<150 { cache.store(number, for: number) }
        #expect((50..<150).allSatisfy { cache.lookup($0)?.value == $0 })
        #expect(cache.statistics.removals == [.expired: 50])
        cache.store(150, for: 150)
        #expect(cache.statistics.removals == [.expired: 50, .capacity: 1])
    }

    @Test("No value is evicted while another one has expired, whatever the costs are")
    func histories() throws {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(4_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let time = ManualTime()
            let cost: CacheCost<Int, Int>? = random.index(below: 2) == 0 ? nil : .units(20) { _, value in value % 7 }
            let limits = CacheLimits(entries: 1 + random.index(below: 8), lifetime: .seconds(10))
            let cache = try Cache<Int, Int>("test", limits: limits, cost: cost, clock: .manual(time))
            for step in 0..<60 {
                time.advance(by: .seconds(random.index(below: 3)))
                let key = random.index(below: 12)
                if random.index(below: 2) == 0 { _ = cache.lookup(key) }
                let evicted = cache.statistics.removals[.capacity]
                cache.store(step, for: key)
                guard cache.statistics.removals[.capacity] != evicted,
                    let oldest = cache.machine.read({ machine, _ in machine.oldest })
                else { continue }
                let age = time.now.nanoseconds - oldest
                if age > 10_000_000_000 {
                    Issue.record("history \(history), step \(step): a value of \(age) ns is left")
                }
            }
            #expect(cache.statistics.isConserved)
        }
    }

    @Test("Values that have expired are released without a request, a tenth of their lifetime later")
    func released() async throws {
        let alive = CountedValue.Tracker()
        let cache = try Cache<Int, CountedValue>("test", clock: .manual(time))
        for number in 0..<60 { cache.store(CountedValue(number, alive), for: number) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(200))
        cache.store(CountedValue(60, alive), for: 60)
        time.advance(by: .seconds(130))
        await eventually { alive.value == 1 }
        #expect(cache.count == 1 && cache.statistics.removals == [.expired: 60])
        await time.waitForSleepers(1)
        time.advance(by: .seconds(200))
        await eventually { [time] in alive.value == 0 && time.sleeperCount == 0 && cache.sweeper.isIdle }
        cache.store(CountedValue(61, alive), for: 61)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(330))
        await eventually { alive.value == 0 }
    }

    @Test("A cache that is released ends its task")
    func end() async throws {
        var cache: Cache<Int, Int>? = try cache(CacheLimits())
        cache?.store(1, for: 1)
        await time.waitForSleepers(1)
        cache = nil
        await eventually { [time] in time.sleeperCount == 0 }
        let endless = try self.cache(CacheLimits(lifetime: .nanoseconds(Int64.max)))
        endless.store(1, for: 1)
        #expect(endless.sweeper.isIdle)
    }

    @Test("Under pressure what has expired goes first")
    func pressure() throws {
        let cache = try cache(CacheLimits())
        for number in 0..<50 { cache.store(number, for: number) }
        // The policy would keep them.
        for number in 0..<150 { #expect(cache.value(for: number % 50) != nil) }
        time.advance(by: .seconds(200))
        for number in 50..<100 { cache.store(number, for: number) }
        time.advance(by: .seconds(101))
        #expect(cache.evacuate(0.5) == 50)
        #expect((50..<100).allSatisfy { cache.value(for: $0) == $0 })
    }
}
