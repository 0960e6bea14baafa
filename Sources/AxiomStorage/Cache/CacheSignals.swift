// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase

/// The families of signals about caches.
enum CacheFamilies {
    static let requests = SignalFamily(
        "axiom_cache_requests_total",
        .counter,
        help: "Requests to a cache, by outcome: hit (a fresh value), stale (an old value) or miss.",
        labels: ["cache", "outcome"]
    )
    static let loads = SignalFamily(
        "axiom_cache_load_seconds",
        .seconds,
        help: "Time of requests that found no fresh value: their load, or their wait for that of another request.",
        labels: ["cache"]
    ).waits
    static let entries = SignalFamily(
        "axiom_cache_entries",
        .gauge,
        help: "Entries of a cache.",
        labels: ["cache"]
    )
    static let evictions = SignalFamily(
        "axiom_cache_evictions_total",
        .counter,
        help: "Entries that a cache gave up, by reason: capacity, expired or pressure.",
        labels: ["cache", "reason"]
    )
    static let stampedes = SignalFamily(
        "axiom_cache_stampedes_total",
        .counter,
        help: "Times that 10 or more callers missed one key of a cache at once, and each of them loaded it.",
        labels: ["cache"]
    )
    static let stampedeLoads = SignalFamily(
        "axiom_cache_stampede_loads_total",
        .counter,
        help: "Loads in stampedes of a cache.",
        labels: ["cache"]
    )
}

/// The signals of one cache, bound once. All are exported from the start.
@usableFromInline
struct CacheSignals: Sendable {
    private let hits: any Signal
    private let staleHits: any Signal
    private let misses: any Signal
    private let loads: any Signal
    private let entries: any Signal
    private let evictions: [CacheRemoval: any Signal]
    let stampedes: StampedeDetector

    /// Returns nil if nothing observes.
    init?(_ cache: String, _ bind: (SignalFamily, [String]) -> (any Signal)?) {
        guard let hits = bind(CacheFamilies.requests, [cache, "hit"]),
            let staleHits = bind(CacheFamilies.requests, [cache, "stale"]),
            let misses = bind(CacheFamilies.requests, [cache, "miss"]),
            let loads = bind(CacheFamilies.loads, [cache]),
            let entries = bind(CacheFamilies.entries, [cache])
        else { return nil }
        (self.hits, self.staleHits, self.misses, self.loads, self.entries) = (hits, staleHits, misses, loads, entries)
        entries.add(0)
        var evictions: [CacheRemoval: any Signal] = [:]
        for reason in [CacheRemoval.capacity, .expired, .pressure] {
            evictions[reason] = bind(CacheFamilies.evictions, [cache, reason.rawValue])
        }
        self.evictions = evictions
        stampedes = StampedeDetector { bind($0, [cache]) }
    }

    func add(hits count: Int) { hits.add(count) }

    /// Counts a request that got a stale value or none.
    func add(request isStale: Bool) {
        if isStale { staleHits.increment() } else { misses.increment() }
    }

    /// Records how long a request took that had to load.
    func loaded(nanoseconds: Int64) { loads.observe(nanoseconds: nanoseconds) }

    /// The gauge is a sum, so that two caches of one name show the sum of their entries.
    func add(entries count: Int) {
        if count != 0 { entries.add(count) }
    }

    func add(removals: some Sequence<CacheRemoval>) {
        for reason in removals { evictions[reason]?.increment() }
    }
}

extension Orchestrator {
    /// Makes a cache that reports its metrics to the orchestrator and evicts half of its entries when memory runs
    /// short. The orchestrator does not keep it alive. Ages are measured by the clock of the orchestrator, unless
    /// `clock` is another one.
    ///
    /// - Throws: ``CacheError`` as ``Cache/init(_:limits:cost:component:clock:)``.
    public func cache<Key: Hashable & Sendable, Value: Sendable>(
        _ name: String,
        limits: CacheLimits = CacheLimits(),
        cost: CacheCost<Key, Value>? = nil,
        clock: TimeSource? = nil
    ) throws(CacheError) -> Cache<Key, Value> {
        let cache = try Cache(name, limits, cost, clock ?? self.clock) { signal($0, $1) }
        relieve(with: cache)
        return cache
    }
}

/// Finds stampedes: many callers miss one key at the same time, and each of them loads and stores its value. A caller that
/// uses ``Cache/value(for:orLoad:)`` takes no part: it shares one load with others.
///
/// It knows the latest miss of 64 groups of hashes, so that it may overlook a stampede while other keys are missed. A load
/// of more than 30 s is overlooked too. A key that is polled and then stored by one caller is no stampede: only the stores
/// count, at most one for each miss.
final class StampedeDetector: Sendable {
    /// The callers that missed a key, until all of them have stored it.
    private struct Round {
        let hash: UInt64
        var misses = 1
        var stores = 0
        /// When the key was last missed, in nanoseconds.
        var missedAt: Int64
    }

    /// How many callers are a stampede.
    private static let callers = 10
    private static let patience: Int64 = 30_000_000_000

    /// By the lowest bits of the hash: 2.5 kB. Guarded by its lock, which no hit takes.
    private let rounds = Lock([Round?](repeating: nil, count: 64))
    private let stampedes, loads: (any Signal)?

    init(_ bind: (SignalFamily) -> (any Signal)?) {
        (stampedes, loads) = (bind(CacheFamilies.stampedes), bind(CacheFamilies.stampedeLoads))
    }

    func missed(_ hash: UInt64, at now: Int64) {
        rounds.withLock { rounds in
            let slot = Int(hash & 63)
            if let known = rounds[slot], known.hash == hash, known.stores == 0, now &- known.missedAt <= Self.patience {
                rounds[slot]?.misses += 1
                rounds[slot]?.missedAt = now
            } else {
                rounds[slot] = Round(hash: hash, missedAt: now)
            }
        }
    }

    /// A caller has stored a key. The load of the tenth caller shows that those before were part of a stampede.
    func stored(_ hash: UInt64, at now: Int64) {
        let stores = rounds.withLock { rounds in
            let slot = Int(hash & 63)
            guard var round = rounds[slot], round.hash == hash, now &- round.missedAt <= Self.patience else { return 0 }
            round.stores += 1
            rounds[slot] = round.stores < round.misses ? round : nil
            return round.stores
        }
        if stores == Self.callers { stampedes?.increment() }
        if stores >= Self.callers { loads?.add(stores == Self.callers ? stores : 1) }
    }
}
