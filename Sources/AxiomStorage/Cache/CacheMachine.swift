// SPDX-License-Identifier: Apache-2.0

/// The entries of a cache, their limits, and which of them are evicted. It compares no keys and reads no clock: a pure
/// state machine, which a ``CacheLock`` guards.
///
/// It returns what it removes, so that the caller releases keys and values outside of the lock.
@usableFromInline
struct CacheMachine<Key: Sendable, Value: Sendable>: ~Copyable {
    typealias Entry = CacheEntry<Key, Value>

    /// The limits of a cache.
    struct Limits {
        var entries: Int
        /// The limit of the sum of costs; nil if only entries count.
        var cost: Int?
        /// The age up to which a value is kept, in nanoseconds.
        var lifetime: Int64
    }

    /// An entry that was removed.
    struct Removed {
        let entry: Entry
        let reason: CacheRemoval
    }

    /// A new entry, with a cost of at most the limit.
    struct Candidate {
        let key: Key
        let value: Value
        let hash: UInt64
        let cost: Int
        let storedAt: Int64
    }

    /// For look-ups.
    @usableFromInline private(set) var index: CacheIndex<Key, Value>
    /// For hits.
    @usableFromInline private(set) var counter: ReadCounter
    private var table = CacheTable<Key, Value>()
    private var policy: S3FIFOPolicy
    /// The slots in the order in which their values were stored, which is that of their expiry.
    private var byAge = SlotList()
    private var ageLinks = SlotLinks()
    private let limits: Limits
    private(set) var cost = 0
    private(set) var insertions: UInt64 = 0
    private(set) var removals: [CacheRemoval: UInt64] = [:]
    /// How often the program changed entries, for each of 64 groups of hashes. A load that began before such a change
    /// does not store its value.
    private var epochs = [UInt32](repeating: 0, count: 64)

    init(_ limits: Limits) {
        self.limits = limits
        policy = S3FIFOPolicy(capacity: limits.cost ?? limits.entries)
        (index, counter) = (table.index, policy.counter)
    }

    var count: Int { table.count }

    /// All entries with a hash.
    func entries(_ hash: UInt64) -> [Entry] { table.all(hash).map { table.entry($0) } }

    /// Counts a read of the entry with a number, if it is still there.
    func hit(_ hash: UInt64, _ number: UInt64) {
        if let slot = slot(hash, number) { policy.hit(slot) }
    }

    /// The epoch of a hash.
    func epoch(_ hash: UInt64) -> UInt32 { epochs[Int(hash & 63)] }

    /// Ends the epoch of a hash.
    mutating func endEpoch(_ hash: UInt64) { epochs[Int(hash & 63)] &+= 1 }

    /// Stores an entry after it has made room.
    mutating func insert(_ new: Candidate) -> [Removed] {
        var removed: [Removed] = []
        while !hasRoom(new.cost), let (slot, reason) = victim(at: new.storedAt) { removed.append(take(slot, reason)) }
        let slot = table.insert(entry(new))
        ageLinks.append(slot, cost: 0, to: &byAge)
        policy.insert(slot, hash: new.hash, cost: units(new.cost))
        cost += new.cost
        (index, counter) = (table.index, policy.counter)
        return removed
    }

    /// Stores an entry in place of the one with a number, which has the same key. It keeps its place in the policy.
    mutating func insert(_ new: Candidate, inPlaceOf number: UInt64, _ reason: CacheRemoval) -> [Removed] {
        guard let slot = slot(new.hash, number) else { return insert(new) }
        var removed: [Removed] = []
        while cost - table.entry(slot).cost + new.cost > limits.cost ?? .max,
            let (other, cause) = victim(at: new.storedAt)
        {
            removed.append(take(other, other == slot ? reason : cause))
            if other == slot { return removed + insert(new) }
        }
        let former = table.replace(slot, by: entry(new))
        ageLinks.moveToEnd(slot, of: &byAge)
        removals[reason, default: 0] += 1
        policy.change(slot, cost: units(new.cost))
        cost += new.cost - former.cost
        return removed + [Removed(entry: former, reason: reason)]
    }

    /// Removes the entry with a number. Returns nil if there is none.
    mutating func remove(_ hash: UInt64, _ number: UInt64, _ reason: CacheRemoval) -> Removed? {
        guard let slot = slot(hash, number) else { return nil }
        policy.remove(slot)
        return take(slot, reason)
    }

    /// Evicts up to `maximum` entries, until no more than `count` entries and no more than `cost` are left.
    mutating func evict(toCount count: Int, cost: Int, maximum: Int, at now: Int64) -> [Removed] {
        var removed: [Removed] = []
        while table.count > count || self.cost > cost, removed.count < maximum, let (slot, _) = victim(at: now) {
            removed.append(take(slot, .pressure))
        }
        return removed
    }

    /// Removes up to `maximum` entries whose values are older than the lifetime.
    mutating func removeExpired(maximum: Int, at now: Int64) -> [Removed] {
        var removed: [Removed] = []
        while removed.count < maximum, let slot = expired(at: now) {
            policy.remove(slot)
            removed.append(take(slot, .expired))
        }
        return removed
    }

    /// When the oldest value was stored; nil if there is none.
    var oldest: Int64? { byAge.isEmpty ? nil : table.entry(Int(byAge.first)).storedAt }

    /// Chooses an entry to give up, and removes it from the policy. What has expired goes first.
    private mutating func victim(at now: Int64) -> (slot: Int, reason: CacheRemoval)? {
        guard let slot = expired(at: now) else { return policy.evict().map { ($0, .capacity) } }
        policy.remove(slot)
        return (slot, .expired)
    }

    /// The slot of the oldest value, if that has expired.
    private func expired(at now: Int64) -> Int? {
        guard let oldest, now &- oldest > limits.lifetime else { return nil }
        return Int(byAge.first)
    }

    /// Removes all entries, ends all epochs and returns the entries.
    mutating func removeAll() -> CacheTable<Key, Value> {
        removals[.removed, default: 0] += UInt64(table.count)
        var others = CacheTable<Key, Value>()
        swap(&table, &others)
        policy = S3FIFOPolicy(capacity: limits.cost ?? limits.entries)
        (byAge, ageLinks) = (SlotList(), SlotLinks())
        (index, counter) = (table.index, policy.counter)
        cost = 0
        for index in epochs.indices { epochs[index] &+= 1 }
        return others
    }

    private func slot(_ hash: UInt64, _ number: UInt64) -> Int? {
        table.all(hash).first { table.entry($0).number == number }
    }

    private func hasRoom(_ cost: Int) -> Bool {
        table.count < limits.entries && self.cost + cost <= limits.cost ?? .max
    }

    /// What the policy counts: costs, or else entries.
    private func units(_ cost: Int) -> Int { limits.cost == nil ? 1 : max(1, cost) }

    private mutating func entry(_ new: Candidate) -> Entry {
        insertions += 1
        return Entry(
            hash: new.hash,
            number: insertions,
            storedAt: new.storedAt,
            cost: new.cost,
            key: new.key,
            value: new.value
        )
    }

    /// Removes an entry that the policy has removed.
    private mutating func take(_ slot: Int, _ reason: CacheRemoval) -> Removed {
        let entry = table.remove(slot)
        ageLinks.remove(slot, from: &byAge)
        cost -= entry.cost
        removals[reason, default: 0] += 1
        return Removed(entry: entry, reason: reason)
    }
}
