// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomInstrumentation
import AxiomStorage
import CacheTraces
import Foundation

/// What a request to a cache costs, and the hit ratios of three policies.
enum CacheSuite {
    static let suite = BenchmarkSuite("cache") { suite in
        addHits(to: &suite)
        addOthers(to: &suite)
        addChanges(to: &suite)
        addHitRatios(to: &suite)
    }

    private static func addHits(to suite: inout BenchmarkSuite) {
        let goal = BenchmarkOptions.goal(.atMost(25, times: "floor/atomic.add"))
        let numbers: @Sendable (Cache<Int, Int>, Int) -> Void = { cache, iterations in
            for index in 0..<iterations { blackHole(cache.value(for: index & 511)) }
        }
        suite.add("hit", options: goal, fixture: try filled { $0 }, numbers)
        // Only this cache has signals.
        let inTask: @Sendable (Cache<Int, Int>, Int) async -> Void = { numbers($0, $1) }
        suite.addAsync("hit.reported", options: goal, fixture: { try await reported() }, inTask)
        suite.add("hit.string", fixture: try texts()) { texts, iterations in
            for index in 0..<iterations { blackHole(texts.cache.value(for: texts.keys[index & 511])) }
        }
        // A tenth more than on one thread is within the noise of two processors of a virtual machine.
        suite.addCrowds("hit", goal: 1.1, shared: try filled { $0 }) { cache, _, iterations in
            numbers(cache, iterations)
        }
    }

    /// Caches with the same keys to compare with: `NSCache`, whose keys and values are objects, and a plain LRU with a lock.
    private static func addOthers(to suite: inout BenchmarkSuite) {
        let objects: @Sendable (ObjectCache, Int) -> Void = { cache, iterations in
            for index in 0..<iterations { blackHole(cache.value(index & 511)) }
        }
        suite.add("NSCache.hit", fixture: ObjectCache(), objects)
        suite.addCrowds("NSCache.hit", shared: ObjectCache()) { cache, _, iterations in objects(cache, iterations) }
        let plain: @Sendable (LockedLRU, Int) -> Void = { cache, iterations in
            for index in 0..<iterations { blackHole(cache.value(index & 511)) }
        }
        suite.add("LRU.hit", fixture: LockedLRU(), plain)
        suite.addCrowds("LRU.hit", shared: LockedLRU()) { cache, _, iterations in plain(cache, iterations) }
    }

    private static func addChanges(to suite: inout BenchmarkSuite) {
        suite.add("miss", fixture: try filled { $0 }) { cache, iterations in
            for index in 0..<iterations { blackHole(cache.value(for: -1 - index & 511)) }
        }
        var varying = BenchmarkOptions()
        varying.uncounted = "one process in forty allocates some blocks more"
        suite.add("store.evicting", options: varying, fixture: try filled { $0 }) { cache, iterations in
            for index in 0..<iterations { cache.store(index, for: index) }
        }
        let hits: @Sendable (Cache<Int, Int>, Int) async throws -> Void = { cache, iterations in
            for index in 0..<iterations { blackHole(try await cache.value(for: index & 511) { 0 }) }
        }
        suite.addAsync("hit.orLoad", fixture: { try filled { $0 } }, hits)
        let loads: @Sendable (Cache<Int, Int>, Int) async throws -> Void = { cache, iterations in
            let first = 512 + Int(cache.statistics.loads)
            for index in 0..<iterations { blackHole(try await cache.value(for: first + index) { index }) }
        }
        suite.addAsync("miss+load", options: varying, fixture: { try filled { $0 } }, loads)
    }

    /// The hit ratios of the policies on the same requests, for a cache of 1,000 entries.
    private static func addHitRatios(to suite: inout BenchmarkSuite) {
        for shape in CacheTrace.shapes {
            add(shape, "S3-FIFO", to: &suite) { $0.hitRatio(S3FIFOPolicy.self, capacity: 1_000) }
            add(shape, "W-TinyLFU", to: &suite) { $0.hitRatio(TinyLFUPolicy.self, capacity: 1_000) }
            add(shape, "LRU", to: &suite) { $0.hitRatio(LRUPolicy.self, capacity: 1_000) }
        }
    }

    private static func add(
        _ shape: CacheTrace.Shape,
        _ policy: String,
        to suite: inout BenchmarkSuite,
        _ hitRatio: @escaping @Sendable (CacheTrace) -> Double
    ) {
        suite.addValue("\(shape.name)/\(policy)", unit: "hit ratio", kind: .information, isLowerBetter: false) {
            hitRatio(CacheTrace(shape, length: 300_000, capacity: 1_000, seed: 17))
        }
    }

    private static func filled<Value: Sendable>(_ value: (Int) -> Value) throws -> Cache<Int, Value> {
        let cache = try Cache<Int, Value>("numbers", limits: CacheLimits(entries: 512))
        for key in 0..<512 { cache.store(value(key), for: key) }
        return cache
    }

    @MainActor
    private static func reported() throws -> Cache<Int, Int> {
        let orchestrator = Orchestrator(instrumentation: try Telemetry())
        let cache: Cache<Int, Int> = try orchestrator.cache("numbers", limits: CacheLimits(entries: 512))
        for key in 0..<512 { cache.store(key, for: key) }
        return cache
    }

    /// Keys and values that are objects with reference counts.
    private static func texts() throws -> (cache: Cache<String, String>, keys: [String]) {
        let cache = try Cache<String, String>("texts", limits: CacheLimits(entries: 512))
        let keys = (0..<512).map { "a key of more than 15 bytes \($0)" }
        for key in keys { cache.store("the value of " + key, for: key) }
        return (cache, keys)
    }
}

/// Foundation's cache, with keys that are made once.
private final class ObjectCache: @unchecked Sendable {
    // Unchecked: NSCache is safe for threads, but is not marked so.
    private let cache = NSCache<NSNumber, Box>()
    private let keys = (0..<512).map { NSNumber(value: $0) }

    private final class Box: Sendable {
        let value: Int

        init(_ value: Int) { self.value = value }
    }

    init() {
        cache.countLimit = 512
        for (value, key) in keys.enumerated() { cache.setObject(Box(value), forKey: key) }
    }

    func value(_ key: Int) -> Int? { cache.object(forKey: keys[key])?.value }
}

/// A dictionary and the order of the last use behind one lock, without a lifetime.
private final class LockedLRU: Sendable {
    private struct State {
        var slots: [Int: Int] = [:]
        var values: [Int] = []
        var policy = LRUPolicy(capacity: 512)
    }

    private let state: Lock<State>

    init() {
        var state = State()
        for key in 0..<512 {
            state.slots[key] = key
            state.values.append(key)
            state.policy.insert(key, hash: 0, cost: 1)
        }
        self.state = Lock(state)
    }

    func value(_ key: Int) -> Int? {
        state.withLock { state in
            guard let slot = state.slots[key] else { return nil }
            state.policy.hit(slot)
            return state.values[slot]
        }
    }
}
