// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Testing

@Suite("A cache beside a model", .timeLimit(.minutes(10)))
struct CacheModelTests {
    /// A dictionary with times.
    private struct Model {
        var values: [CollidingKey: (value: Int, storedAt: Int)] = [:]
        var now = 0
        var (hits, staleHits, misses) = (UInt64(0), UInt64(0), UInt64(0))

        func age(_ key: CollidingKey) -> Int? { values[key].map { now - $0.storedAt } }

        mutating func value(_ key: CollidingKey) -> Int? {
            guard let age = age(key), age <= 10 else {
                misses += 1
                if let age = age(key), age > 15 { values[key] = nil }
                return nil
            }
            hits += 1
            return values[key]?.value
        }

        mutating func lookup(_ key: CollidingKey) -> (Int, age: Int)? {
            guard let age = age(key), age <= 15, let value = values[key]?.value else {
                misses += 1
                values[key] = nil
                return nil
            }
            if age <= 10 { hits += 1 } else { staleHits += 1 }
            return (value, age)
        }
    }

    private static func makeCache(_ entries: Int, _ time: ManualTime) throws -> Cache<CollidingKey, Int> {
        let limits = CacheLimits(entries: entries, lifetime: .seconds(10), staleLifetime: .seconds(5))
        return try Cache("model", limits: limits, clock: .manual(time))
    }

    @Test("A cache that is not full has what a dictionary with times has, also with equal hashes (PER-04, PER-06)")
    func notFull() throws {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(100_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let (time, hashes) = (ManualTime(), 1 + random.index(below: 12))
            var (model, cache) = (Model(), try Self.makeCache(100, time))
            for step in 0..<40 {
                let key = CollidingKey(number: random.index(below: 10), hashes: hashes)
                if let problem = apply(random.index(below: 20), step, key, &model, cache, time) {
                    Issue.record("history \(history), step \(step): \(problem)")
                    return
                }
            }
            let statistics = cache.statistics
            let isEqual =
                (statistics.hits, statistics.staleHits, statistics.misses)
                == (model.hits, model.staleHits, model.misses)
            // What has expired may be gone without a request.
            let kept = model.values.values.count { model.now - $0.storedAt <= 15 }
            guard isEqual, statistics.isConserved, (kept...model.values.count).contains(statistics.entries) else {
                Issue.record("history \(history): \(statistics) is not \(model)")
                return
            }
        }
    }

    /// Does one step with both. Returns a difference.
    private func apply(
        _ choice: Int,
        _ step: Int,
        _ key: CollidingKey,
        _ model: inout Model,
        _ cache: Cache<CollidingKey, Int>,
        _ time: ManualTime
    ) -> String? {
        switch choice {
        case 0..<6:
            let (value, expected) = (cache.value(for: key), model.value(key))
            return value == expected ? nil : "value \(String(describing: value)), not \(String(describing: expected))"
        case 6..<10:
            let (found, expected) = (cache.lookup(key), model.lookup(key))
            let isEqual = found?.value == expected?.0 && found?.age == expected.map { .seconds($0.age) }
            return isEqual ? nil : "lookup \(String(describing: found)), not \(String(describing: expected))"
        case 10..<15:
            model.values[key] = (step, model.now)
            cache.store(step, for: key)
        case 15, 16:
            let age = model.age(key)
            model.values[key] = nil
            let wasThere = cache.removeValue(for: key)
            // What has expired may be gone without a request.
            return wasThere == (age != nil) || age ?? 0 > 15 ? nil : "removal"
        case 17:
            guard step % 8 == 0 else { return nil }
            model.values = [:]
            cache.clear()
        default:
            model.now += 3
            time.advance(by: .seconds(3))
        }
        return nil
    }

    @Test(
        "A full cache returns the latest value or none, keeps its limits, and loses no entry without a reason (CLI-15)"
    )
    func full() throws {
        let seed = TestSeed.drawn()
        for history in 0..<TestScale.count(20_000) {
            var random = SeededGenerator(seed: seed, stream: UInt64(history))
            let alive = CountedValue.Tracker()
            let (limit, costLimit) = (1 + random.index(below: 12), 1 + random.index(below: 30))
            let cache = try Cache<CollidingKey, CountedValue>(
                "full",
                limits: CacheLimits(entries: limit),
                cost: random.index(below: 2) == 0 ? nil : .units(costLimit) { _, value in value.number % 7 }
            )
            var latest: [CollidingKey: Int] = [:]
            for number in 0..<100 {
                let key = CollidingKey(number: random.index(below: 20), hashes: 5)
                switch random.index(below: 10) {
                case 0..<5:
                    cache.store(CountedValue(number, alive), for: key)
                    latest[key] = number
                case 9: cache.evacuate(random.unit() * 0.3)
                default:
                    let value = cache.value(for: key)?.number
                    if let value, value != latest[key] { Issue.record("history \(history): \(value) is old") }
                }
                let statistics = cache.statistics
                guard statistics.entries <= limit, statistics.cost <= costLimit, statistics.isConserved,
                    alive.value == statistics.entries
                else {
                    Issue.record("history \(history): \(statistics), \(alive.value) values are alive")
                    return
                }
            }
        }
    }
}
