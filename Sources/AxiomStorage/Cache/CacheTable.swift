// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// One entry of a cache.
@usableFromInline
struct CacheEntry<Key: Sendable, Value: Sendable>: Sendable {
    @usableFromInline let hash: UInt64
    /// Unique among all entries that the cache ever had.
    @usableFromInline let number: UInt64
    /// The instant at which it was stored, in nanoseconds.
    @usableFromInline let storedAt: Int64
    let cost: Int
    @usableFromInline let key: Key
    @usableFromInline let value: Value
}

/// The memory of a ``CacheTable``, for look-ups. It is valid until the table changes.
@usableFromInline
struct CacheIndex<Key: Sendable, Value: Sendable> {
    @usableFromInline typealias Entry = CacheEntry<Key, Value>

    @usableFromInline
    struct Bucket {
        @usableFromInline var hash: UInt64 = 0
        /// The index of the entry; -1 if the bucket is empty.
        @usableFromInline var slot: Int32 = -1
    }

    /// Open addressing with linear probing; at most half of the buckets are in use.
    @usableFromInline var buckets: UnsafeMutablePointer<Bucket>
    /// 64 minus the binary logarithm of the number of buckets.
    @usableFromInline var shift: UInt64
    /// The slots of entries, which are initialized if a bucket has their index.
    @usableFromInline var entries: UnsafeMutablePointer<Entry>

    /// The number of buckets, a power of two, minus 1.
    @inlinable var mask: Int { (1 << Int(64 - shift)) - 1 }

    /// Fibonacci hashing: the upper bits of the product depend on all bits of a hash.
    @inlinable
    @inline(__always)
    func home(_ hash: UInt64) -> Int { Int((hash &* 0x9e37_79b9_7f4a_7c15) >> shift) }

    /// The slot of the first entry with a hash; -1 if there is none.
    @inlinable
    @inline(__always)
    func first(_ hash: UInt64) -> Int {
        var index = home(hash)
        while buckets[index].slot >= 0 {
            if buckets[index].hash == hash { return Int(buckets[index].slot) }
            index = (index + 1) & mask
        }
        return -1
    }
}

/// The entries of a cache, found by the hashes of their keys. Several entries can have one hash: the table never compares
/// keys, because that is code of the user.
///
/// Not a dictionary: a dictionary compares keys under the lock, and reading it may retain its storage, for which concurrent
/// readers would contend.
struct CacheTable<Key: Sendable, Value: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers, which belong to the table.
    typealias Index = CacheIndex<Key, Value>
    typealias Entry = CacheEntry<Key, Value>

    /// Freed in `deinit`.
    private(set) var index: Index
    private var capacity = 8
    private var free: [Int32]
    private(set) var count = 0

    init() {
        index = Index(buckets: Self.emptyBuckets(16), shift: 60, entries: .allocate(capacity: 8))
        free = Array((0..<8).reversed())
    }

    deinit {
        for number in 0...index.mask where index.buckets[number].slot >= 0 {
            (index.entries + Int(index.buckets[number].slot)).deinitialize(count: 1)
        }
        index.buckets.deallocate()
        index.entries.deallocate()
    }

    private static func emptyBuckets(_ count: Int) -> UnsafeMutablePointer<Index.Bucket> {
        let buckets = UnsafeMutablePointer<Index.Bucket>.allocate(capacity: count)
        buckets.initialize(repeating: Index.Bucket(), count: count)
        return buckets
    }

    /// The entry of a slot.
    func entry(_ slot: Int) -> Entry { index.entries[slot] }

    /// The slots of all entries with a hash.
    func all(_ hash: UInt64) -> [Int] {
        var (slots, number) = ([Int](), index.home(hash))
        while index.buckets[number].slot >= 0 {
            if index.buckets[number].hash == hash { slots.append(Int(index.buckets[number].slot)) }
            number = (number + 1) & index.mask
        }
        return slots
    }

    /// Adds an entry. Returns its slot.
    mutating func insert(_ entry: consuming Entry) -> Int {
        if free.isEmpty { grow() }
        let slot = free.removeLast()
        index.add(Index.Bucket(hash: entry.hash, slot: slot))
        (index.entries + Int(slot)).initialize(to: entry)
        count += 1
        return Int(slot)
    }

    /// Replaces the entry of a slot by one with the same hash, and returns the former one.
    mutating func replace(_ slot: Int, by entry: consuming Entry) -> Entry {
        let former = (index.entries + slot).move()
        (index.entries + slot).initialize(to: entry)
        return former
    }

    /// Removes the entry of a slot and returns it.
    mutating func remove(_ slot: Int) -> Entry {
        let entry = (index.entries + slot).move()
        index.remove(Index.Bucket(hash: entry.hash, slot: Int32(slot)))
        free.append(Int32(slot))
        count -= 1
        return entry
    }

    /// Doubles the memory. Every slot is in use.
    private mutating func grow() {
        let former = index
        index.shift -= 1
        index.buckets = Self.emptyBuckets(index.mask + 1)
        for number in 0...former.mask where former.buckets[number].slot >= 0 { index.add(former.buckets[number]) }
        former.buckets.deallocate()
        index.entries = .allocate(capacity: capacity * 2)
        index.entries.moveInitialize(from: former.entries, count: capacity)
        former.entries.deallocate()
        free = (capacity..<capacity * 2).reversed().map { Int32($0) }
        capacity *= 2
    }
}

extension CacheIndex {
    /// Adds a bucket. There must be an empty one.
    fileprivate func add(_ bucket: Bucket) {
        var number = home(bucket.hash)
        while buckets[number].slot >= 0 { number = (number + 1) & mask }
        buckets[number] = bucket
    }

    /// Removes the bucket of a slot, which must be there.
    fileprivate func remove(_ bucket: Bucket) {
        var hole = home(bucket.hash)
        while buckets[hole].slot != bucket.slot { hole = (hole + 1) & mask }
        var number = (hole + 1) & mask
        // Fills the hole with a later bucket that may not stay behind it.
        while buckets[number].slot >= 0 {
            let distance = (number - home(buckets[number].hash)) & mask
            if distance >= (number - hole) & mask {
                buckets[hole] = buckets[number]
                hole = number
            }
            number = (number + 1) & mask
        }
        buckets[hole] = Bucket()
    }
}

/// A lock for a value that is read much more often than it is changed. A reader takes the lock of its thread's shard only,
/// so that threads that read do not wait for each other. A change takes the locks of all shards: 4 to 64, in one order.
///
/// The lock of a shard also guards a cell, which readers of this shard may change.
@usableFromInline
struct CacheLock<Value: ~Copyable, Cell: Sendable>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: `value` is read with one lock and changed with all of them.

    @usableFromInline
    struct Shard {
        @usableFromInline var cell: Cell
        /// Keeps the cells of two threads out of one pair of cache lines.
        private let padding: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)
        private let more: (Int64, Int64, Int64, Int64, Int64, Int64, Int64, Int64) = (0, 0, 0, 0, 0, 0, 0, 0)

        init(_ cell: Cell) { self.cell = cell }
    }

    @usableFromInline let shards: UnsafeMutablePointer<Lock<Shard>>
    private let count = Shards.count
    @usableFromInline let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value, cell: Cell) {
        value = .allocate(capacity: 1)
        value.initialize(to: initial)
        shards = .allocate(capacity: count)
        for index in 0..<count { (shards + index).initialize(to: Lock(Shard(cell))) }
    }

    deinit {
        shards.deinitialize(count: count)
        shards.deallocate()
        value.deinitialize(count: 1)
        value.deallocate()
    }

    /// Reads the value, and may change the cell of the calling thread's shard.
    @inlinable
    @inline(__always)
    func read<Result: Sendable>(_ body: (borrowing Value, inout Cell) -> Result) -> Result {
        shards[Shards.own].withLock { body(value.pointee, &$0.cell) }
    }

    /// Changes the value. Waits until no thread reads it.
    func change<Result: ~Copyable>(_ body: (inout Value) -> Result) -> Result {
        for index in 0..<count { shards[index].lock() }
        defer { for index in (0..<count).reversed() { shards[index].unlock() } }
        return body(&value.pointee)
    }

    /// Calls `body` with each cell, one after the other.
    func forEachCell(_ body: (inout Cell) -> Void) {
        for index in 0..<count { shards[index].withLock { body(&$0.cell) } }
    }
}
