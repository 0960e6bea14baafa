// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase
internal import Synchronization

/// Whether a ``Cache`` stored a value.
public enum CacheStoring: Sendable, Hashable {
    /// It is stored.
    case stored
    /// It is not stored, because its cost is greater than the limit of all costs.
    case tooCostly(cost: Int)
}

extension Cache {
    /// Stores a value in place of the former value of the key. A load of the key that is under way will not replace it.
    ///
    /// - Returns: Whether the value is stored. If not, the key has no value.
    @discardableResult
    public func store(_ value: Value, for key: Key) -> CacheStoring {
        signals?.stampedes.stored(Self.hash(key), at: clock.now.nanoseconds)
        return put(value, for: key, epoch: nil)
    }

    /// Removes the value of a key. A load of the key that is under way will not store its value, and later requests do not
    /// join it.
    ///
    /// - Returns: Whether the key had a value.
    @discardableResult
    public func removeValue(for key: Key) -> Bool {
        let hash = Self.hash(key)
        let removed: CacheMachine<Key, Value>.Removed? = change(key, hash) { machine, former in
            machine.endEpoch(hash)
            return former.flatMap { machine.remove(hash, $0.number, .removed) }
        }
        if removed != nil { signals?.add(entries: -1) }
        return removed != nil
    }

    /// Removes all entries. Loads that are under way will not store their values.
    public func clear() {
        let removed = machine.change { $0.removeAll() }
        signals?.add(entries: -removed.count)
    }

    /// Evicts at least this share of the entries and of the sum of their costs. The entries that the policy considers least
    /// useful go first.
    ///
    /// - Parameter share: From 0 to 1; clamped.
    /// - Returns: The number of evicted entries.
    @discardableResult
    public func evacuate(_ share: Double) -> Int { giveBack(share).count }

    /// Evicts half of the entries when memory is short. Ignores other resources.
    ///
    /// - Returns: The number of bytes that were freed, if the costs are in bytes; otherwise 0.
    public func relieve(_ resource: SystemResource, _ pressure: PressureLevel) async -> Int64 {
        guard resource == .memory, pressure != .none else { return 0 }
        let given = giveBack(0.5)
        return cost?.isBytes == true ? Int64(given.cost) : 0
    }

    /// In steps, so that no reader waits long.
    private func giveBack(_ share: Double) -> (count: Int, cost: Int) {
        let kept = share > 0 ? 1 - min(share, 1) : 1
        let (count, cost) = machine.read { machine, _ in (machine.count, machine.cost) }
        let (keptCount, keptCost) = (Int(Double(count) * kept), Int(Double(cost) * kept))
        var given = (count: 0, cost: 0)
        while given.count < count {
            let step = min(256, count - given.count)
            let now = clock.now.nanoseconds
            let removed = machine.change { $0.evict(toCount: keptCount, cost: keptCost, maximum: step, at: now) }
            guard !removed.isEmpty else { break }
            given.count += removed.count
            given.cost += removed.reduce(0) { $0 + $1.entry.cost }
            signals?.add(entries: -removed.count)
            signals?.add(removals: removed.map(\.reason))
        }
        return given
    }

    /// Removes an entry that was found and is too old to be served as stale.
    func expire(_ entry: Entry, _ now: Int64) {
        guard now &- entry.storedAt > keptLifetime else { return }
        let removed = machine.change { $0.remove(entry.hash, entry.number, .expired) }
        guard removed != nil else { return }
        signals?.add(entries: -1)
        signals?.add(removals: CollectionOfOne(.expired))
    }

    /// Stores a value.
    ///
    /// - Parameter epoch: The epoch in which the load of the value began, after which it is not stored; nil if the program
    ///   stores it.
    @discardableResult
    func put(_ value: Value, for key: Key, epoch: UInt32?) -> CacheStoring {
        typealias Machine = CacheMachine<Key, Value>
        let (hash, now, cost) = (Self.hash(key), clock.now.nanoseconds, max(0, cost?.of(key, value) ?? 0))
        let isTooCostly = cost > self.cost?.limit ?? .max
        let new = Machine.Candidate(key: key, value: value, hash: hash, cost: cost, storedAt: now)
        let removed: [Machine.Removed]? = change(key, hash) { machine, former in
            if let epoch, machine.epoch(hash) != epoch { return nil }
            if epoch == nil { machine.endEpoch(hash) }
            guard let former else { return isTooCostly ? [] : machine.insert(new) }
            let reason = now &- former.storedAt > keptLifetime ? CacheRemoval.expired : .replaced
            guard isTooCostly else { return machine.insert(new, inPlaceOf: former.number, reason) }
            return machine.remove(hash, former.number, reason).map { [$0] } ?? []
        }
        if let removed {
            signals?.add(entries: (isTooCostly ? 0 : 1) - removed.count)
            signals?.add(removals: removed.lazy.map(\.reason))
            if !isTooCostly { planSweep() }
        }
        return isTooCostly ? .tooCostly(cost: cost) : .stored
    }

    /// Changes the entry of a key, or adds one: `body` receives the present entry.
    ///
    /// Keys are compared before the lock is taken. If the entries with this hash have changed by then, the
    /// comparison is repeated; in that case another thread has made progress.
    private func change<Result>(
        _ key: Key,
        _ hash: UInt64,
        _ body: (inout CacheMachine<Key, Value>, Entry?) -> Result
    )
        -> Result
    {
        while true {
            let rivals = machine.read { machine, _ in machine.entries(hash) }
            let former = rivals.first { $0.key == key }
            let result = machine.change { machine -> Result? in
                guard machine.entries(hash).elementsEqual(rivals, by: { $0.number == $1.number }) else { return nil }
                return body(&machine, former)
            }
            if let result { return result }
        }
    }
}

/// The task of a cache that removes values without a request when they have expired.
final class CacheSweeper: Sendable {
    /// Whether the task exists. Sequentially consistent: a task that ends clears it and then looks for values once more, and
    /// who stores a value looks at it afterwards, so one of them sees the other.
    private let isPlanned = Atomic(false)
    private let task = Lock<Task<Void, Never>?>(nil)

    var isIdle: Bool { !isPlanned.load(ordering: .sequentiallyConsistent) }

    /// - Returns: Whether the caller has to make the task.
    func begin() -> Bool { isIdle && !isPlanned.exchange(true, ordering: .sequentiallyConsistent) }

    func run(_ task: Task<Void, Never>) { self.task.withLock { $0 = task } }

    /// The task ends.
    func stop() { isPlanned.store(false, ordering: .sequentiallyConsistent) }

    /// The cache is released.
    func end() { task.withLock { $0.take() }?.cancel() }
}

extension Cache {
    /// Makes sure that the values are removed when they have expired. Costs one atomic read if a task does that already.
    func planSweep() {
        guard keptLifetime < .max, sweeper.begin() else { return }
        let first = nextSweep(after: clock.now.nanoseconds)
        sweeper.run(
            Task.detached(executorPreference: inheritedExecutor) { [weak self, clock] in
                var next = first
                while let instant = next, (try? await clock.sleep(until: instant)) != nil { next = self?.sweep() }
            }
        )
    }

    /// Removes what has expired, in steps, so that no reader waits long.
    ///
    /// - Returns: When to sweep again; nil if there is nothing to remove.
    private func sweep() -> Instant? {
        let now = clock.now.nanoseconds
        while true {
            let removed = machine.change { $0.removeExpired(maximum: 256, at: now) }
            guard !removed.isEmpty else { break }
            signals?.add(entries: -removed.count)
            signals?.add(removals: removed.map(\.reason))
        }
        if let next = plannedSweep { return next }
        sweeper.stop()
        // A value may have been stored before the stop.
        guard let next = plannedSweep, sweeper.begin() else { return nil }
        return next
    }

    private var plannedSweep: Instant? {
        machine.read { machine, _ in machine.oldest }.flatMap(nextSweep)
    }

    /// When to remove a value that was stored at a time: a tenth of its lifetime after its end, so that one sweep removes
    /// many. Nil for never.
    private func nextSweep(after storedAt: Int64) -> Instant? {
        let (end, overflow) = storedAt.addingReportingOverflow(keptLifetime)
        let (instant, isFar) = end.addingReportingOverflow(max(1_000_000, keptLifetime / 10))
        return overflow || isFar ? nil : Instant(nanoseconds: instant)
    }
}
