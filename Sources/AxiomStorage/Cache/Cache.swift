// SPDX-License-Identifier: Apache-2.0

public import Axiom
public import AxiomBase
internal import Synchronization

/// Keeps values in memory for a time, at most as many as its limits permit: by default 100 for 300 s.
///
/// ```swift
/// let products = try Cache<Product.ID, Product>("products")
/// let product = try await products.value(for: id) { try await server.product(id) }
/// ```
/// When the cache is full, it evicts entries that are not requested often: by the policy S3-FIFO, whose hit ratio is
/// higher than that of least recently used. Values that have expired go first; they are removed without a request too, at
/// most a tenth of their lifetime late. When memory runs short, it evicts half of its entries;
/// the orchestrator calls it if it was made with ``Orchestrator/cache(_:limits:cost:)`` or passed to
/// ``Orchestrator/relieve(with:)``.
///
/// Every cache limits both the age and the number of its values: without the first limit it would serve outdated values, and
/// without the second it would leak.
///
/// Hits of several threads do not wait for each other. No code of the user runs under a lock: keys are hashed before, and
/// compared, and released like values, after it. Hits allocate nothing.
public final class Cache<Key: Hashable & Sendable, Value: Sendable>: PressureRelieving {
    @usableFromInline typealias Entry = CacheEntry<Key, Value>

    /// The name, a label of metrics.
    public let name: String
    /// The limits.
    public let limits: CacheLimits
    let cost: CacheCost<Key, Value>?
    @usableFromInline let clock: TimeSource
    @usableFromInline let machine: CacheLock<CacheMachine<Key, Value>, CacheRequests>
    /// ``CacheLimits/lifetime`` in nanoseconds.
    @usableFromInline let lifetime: Int64
    /// The age up to which a value is kept, in nanoseconds.
    let keptLifetime: Int64
    let signals: CacheSignals?
    let flights: SingleFlight<CacheFlight<Key>, Value>
    let loads = Atomic<UInt64>(0)
    let failedLoads = Atomic<UInt64>(0)
    let sweeper = CacheSweeper()

    /// Creates an empty cache.
    ///
    /// - Parameters:
    ///   - name: The name, a label of metrics. Caches of one name are counted as one.
    ///   - limits: The limits.
    ///   - cost: What entries cost; by default only their number is limited.
    ///   - component: The component whose application the cache reports to; nil to report to none.
    ///   - clock: The clock that measures ages; by default that of the application of `component`.
    /// - Throws: ``CacheError`` that lists each limit that is out of range; also if the name is blank.
    public convenience init(
        _ name: String,
        limits: CacheLimits = CacheLimits(),
        cost: CacheCost<Key, Value>? = nil,
        component: ComponentIdentity? = nil,
        clock: TimeSource? = nil
    ) throws(CacheError) {
        try self.init(name, limits, cost, clock ?? component?.clock ?? .live) { component?.signal($0, $1) }
    }

    init(
        _ name: String,
        _ limits: CacheLimits,
        _ cost: CacheCost<Key, Value>?,
        _ clock: TimeSource,
        _ bind: (SignalFamily, [String]) -> (any Signal)?
    ) throws(CacheError) {
        let isBlank = name.allSatisfy(\.isWhitespace)
        let problems = (isBlank ? ["the name is blank"] : []) + limits.problems + (cost?.problems ?? [])
        guard problems.isEmpty else { throw CacheError.invalid(name, problems) }
        (self.name, self.limits, self.cost, self.clock) = (name, limits, cost, clock)
        flights = SingleFlight(name)
        lifetime = limits.lifetime.clampedNanoseconds
        let (kept, overflow) = lifetime.addingReportingOverflow(limits.staleLifetime.clampedNanoseconds)
        keptLifetime = overflow ? .max : kept
        let core = CacheMachine<Key, Value>(
            .init(entries: limits.entries, cost: cost?.limit, lifetime: keptLifetime)
        )
        machine = CacheLock(core, cell: CacheRequests())
        signals = CacheSignals(name, bind)
    }

    deinit {
        sweeper.end()
        reportPendingHits()
        signals?.add(entries: -count)
    }

    /// The number of entries, including those that are stale.
    public var count: Int { machine.read { machine, _ in machine.count } }

    /// What the cache did since it was made. Exact while no other thread uses the cache.
    package var statistics: CacheStatistics {
        reportPendingHits()
        var statistics = CacheStatistics()
        machine.forEachCell { cell in
            statistics.hits += cell.hits
            statistics.staleHits += cell.staleHits
            statistics.misses += cell.misses
        }
        statistics.loads = loads.load(ordering: .relaxed)
        statistics.failedLoads = failedLoads.load(ordering: .relaxed)
        (statistics.insertions, statistics.removals, statistics.entries, statistics.cost) = machine.read {
            machine,
            _ in
            (machine.insertions, machine.removals, machine.count, machine.cost)
        }
        return statistics
    }

    /// The fresh value of a key; nil if there is none. A value that is too old to be served as stale is removed.
    ///
    /// Counts as a hit or a miss.
    @inlinable
    public func value(for key: Key) -> Value? {
        let (now, hash) = (clock.now.nanoseconds, Self.hash(key))
        let entry = find(key, hash, now)
        if let entry, now &- entry.storedAt <= lifetime { return entry.value }
        return missed(entry, now, hash)
    }

    @inlinable
    @inline(__always)
    static func hash(_ key: Key) -> UInt64 { UInt64(bitPattern: Int64(key.hashValue)) }

    /// The entry of a key, fresh or not. Counts a hit if it is fresh.
    @inlinable
    @inline(__always)
    func find(_ key: Key, _ hash: UInt64, _ now: Int64) -> Entry? {
        let (entry, hits) = machine.read { machine, requests -> (Entry?, Int) in
            let slot = machine.index.first(hash)
            guard slot >= 0 else { return (nil, 0) }
            let entry = machine.index.entries[slot]
            guard now &- entry.storedAt <= lifetime else { return (entry, 0) }
            machine.counter.increment(slot)
            return (entry, requests.countHit(at: now))
        }
        if hits != 0 { report(hits) }
        guard let entry, entry.key != key else { return entry }
        return findAmongEqualHashes(key, hash, now, insteadOf: entry)
    }

    @usableFromInline
    func report(_ hits: Int) { signals?.add(hits: hits) }

    /// Two keys have one hash, and the first one found is not the right one. Its hit is reverted.
    @usableFromInline
    func findAmongEqualHashes(_ key: Key, _ hash: UInt64, _ now: Int64, insteadOf other: Entry) -> Entry? {
        let entries = machine.read { machine, _ in machine.entries(hash) }
        let entry = entries.first { $0.key == key }
        let taken = now &- other.storedAt <= lifetime ? 1 : 0
        let added = entry.map { now &- $0.storedAt <= lifetime } ?? false ? 1 : 0
        machine.read { machine, requests in
            requests.hits = requests.hits &- UInt64(taken) &+ UInt64(added)
            requests.pendingHits += added - taken
            if let entry, added == 1 { machine.hit(hash, entry.number) }
        }
        return entry
    }

    /// Counts a miss, and removes the entry that was found if it is too old to be served. Returns nil.
    ///
    /// - Parameter hash: That of the key, if the caller may load and store it.
    @usableFromInline
    func missed(_ entry: Entry?, _ now: Int64, _ hash: UInt64? = nil) -> Value? {
        if let hash { signals?.stampedes.missed(hash, at: now) }
        if let entry { expire(entry, now) }
        count(isStale: false)
        return nil
    }

    /// Counts a request that got a stale value or none.
    func count(isStale: Bool) {
        let hits = machine.read { _, requests in
            if isStale { requests.staleHits &+= 1 } else { requests.misses &+= 1 }
            return requests.takePending()
        }
        signals?.add(request: isStale)
        if hits != 0 { report(hits) }
    }

    private func reportPendingHits() {
        var hits = 0
        machine.forEachCell { hits += $0.takePending() }
        if hits != 0 { report(hits) }
    }
}
