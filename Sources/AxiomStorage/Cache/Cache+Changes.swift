// SPDX-License-Identifier: Apache-2.0

public import Axiom
internal import AxiomBase

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
    public func evacuate(_ share: Double) -> Int {
        giveBack(share).count
    }

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
