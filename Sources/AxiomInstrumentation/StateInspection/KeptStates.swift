// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The states that are kept for readers, within a number for each store and a number of bytes for all.
///
/// Values that leave are returned, to be released without a lock: a `deinit` of the application may run.
struct KeptStates: Sendable {
    /// A state that a store published, or that was current when the inspection began.
    struct Entry: Sendable {
        let published: PublishedState
        /// Whether it was read at the beginning of an inspection, so that its cause is unknown.
        let isFirst: Bool
        /// What the value takes; until it is measured, what the latest measured one of its store took.
        fileprivate(set) var bytes: Int
        fileprivate(set) var isMeasured: Bool
        /// Nil if it is not known yet.
        fileprivate(set) var cause: StateCause?
        /// Entries are dropped in the order in which they came.
        fileprivate let order: UInt64

        var update: UInt64 { published.update }
    }

    /// Identifies an entry.
    struct Key: Hashable, Sendable {
        let store: Int
        let update: UInt64
    }

    /// What an entry takes besides its value.
    static let overhead = 160

    let updateLimit: Int
    let byteLimit: Int
    private(set) var bytes = 0
    /// By the id of the store, in the order of the updates.
    private(set) var entries: [Int: [Entry]] = [:]
    /// How many entries each store has lost because of the limits.
    private(set) var dropped: [Int: UInt64] = [:]
    /// What the latest measured value of each store took.
    private var measured: [Int: Int] = [:]
    private var unmeasured: [Key] = []
    /// The length of `unmeasured` at which the keys of entries that have left are removed from it.
    private var unmeasuredLimit = 4_096
    private var count: UInt64 = 0

    init(updateLimit: Int, byteLimit: Int) {
        (self.updateLimit, self.byteLimit) = (updateLimit, byteLimit)
    }

    /// Adds a state, unless it is there already. Returns what leaves, to be released without a lock.
    mutating func add(_ published: PublishedState, of store: Int, isFirst: Bool = false) -> [Entry] {
        let size = (measured[store] ?? 0) + Self.overhead
        let entry = Entry(published: published, isFirst: isFirst, bytes: size, isMeasured: false, order: count)
        var list = entries[store] ?? []
        entries[store] = nil
        // Usually it is the last one. Reports of two threads can come in either order.
        let index = (list.lastIndex { $0.update <= entry.update } ?? -1) + 1
        if index > 0, list[index - 1].update == entry.update {
            entries[store] = list
            return []
        }
        count += 1
        list.insert(entry, at: index)
        entries[store] = list
        bytes += size
        unmeasured.append(Key(store: store, update: entry.update))
        let left = trim(store)
        if unmeasured.count > unmeasuredLimit { removeLeft() }
        return left
    }

    /// Sets what a value takes.
    ///
    /// - Returns: What leaves because of it.
    mutating func measure(_ key: Key, bytes size: Int) -> [Entry] {
        measured[key.store] = size
        guard let index = index(of: key) else { return [] }
        let new = size + Self.overhead
        bytes += new - (entries[key.store]?[index].bytes ?? 0)
        entries[key.store]?[index].bytes = new
        entries[key.store]?[index].isMeasured = true
        return trim(key.store)
    }

    /// Takes the values whose sizes are not known.
    mutating func takeUnmeasured() -> [(key: Key, value: any OwnedState)] {
        defer { unmeasured = [] }
        return unmeasured.compactMap { key in
            index(of: key).flatMap { entries[key.store]?[$0] }.map { (key, $0.published.state) }
        }
    }

    /// Removes the keys of entries that have left before they were measured.
    private mutating func removeLeft() {
        unmeasured = unmeasured.filter { index(of: $0) != nil }
        unmeasuredLimit = max(4_096, 2 * unmeasured.count)
    }

    var hasUnmeasured: Bool { !unmeasured.isEmpty }

    mutating func note(_ causes: [Key: StateCause]) {
        for (key, cause) in causes {
            if let index = index(of: key) { entries[key.store]?[index].cause = cause }
        }
    }

    mutating func remove(_ store: Int) -> [Entry] {
        let removed = entries.removeValue(forKey: store) ?? []
        bytes -= removed.reduce(0) { $0 + $1.bytes }
        (dropped[store], measured[store]) = (nil, nil)
        return removed
    }

    private func index(of key: Key) -> Int? {
        entries[key.store]?.lastIndex { $0.update == key.update }
    }

    /// Drops what exceeds the limits, the oldest first.
    private mutating func trim(_ store: Int) -> [Entry] {
        var left: [Entry] = []
        if let list = entries[store], list.count > updateLimit { drop(from: store, into: &left) }
        while bytes > byteLimit, let oldest = oldest { drop(from: oldest, into: &left) }
        return left
    }

    private mutating func drop(from store: Int, into left: inout [Entry]) {
        guard let entry = entries[store]?.removeFirst() else { return }
        bytes -= entry.bytes
        dropped[store, default: 0] += 1
        left.append(entry)
        if entries[store]?.isEmpty == true { entries[store] = nil }
    }

    /// The store of the entry that came first. Read only while there is too much.
    private var oldest: Int? {
        entries.min { ($0.value.first?.order ?? .max) < ($1.value.first?.order ?? .max) }?.key
    }
}
