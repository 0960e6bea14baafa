// SPDX-License-Identifier: Apache-2.0

internal import DequeModule
public import Synchronization

/// S3-FIFO (Yang, Zhang, Qiu, Yue and Rashmi, "FIFO queues are all you need for cache eviction", SOSP 2023).
///
/// A new entry joins a small queue, which has a tenth of the capacity. An entry that reaches its end moves to the main
/// queue if it was read at least twice; otherwise it is evicted, and a ghost queue remembers its hash. An entry whose hash
/// is remembered joins the main queue at once. An entry at the end of the main queue that was read starts again.
///
/// A read changes no queue: it raises a count of up to 3. So threads can read at the same time, and a read of an entry
/// that is read often writes nothing.
package struct S3FIFOPolicy: ~Copyable {
    private struct Entry {
        var hash: UInt64 = 0
        var isInMain = false
    }

    private let smallCapacity: Int
    private var links = SlotLinks()
    private var entries: [Entry] = []
    private var small = SlotList()
    private var main = SlotList()
    private var ghosts = GhostQueue()
    private var count = 0
    /// The reads of each entry since it joined its queue.
    private var reads = ReadCounts()

    /// Creates a policy without entries.
    ///
    /// - Parameter capacity: The cost of all entries of a full cache, at least 1.
    package init(capacity: Int) { smallCapacity = max(1, capacity / 10) }

    /// Adds an entry.
    ///
    /// - Parameters:
    ///   - slot: The index, at least 0, which no other entry has now. Memory is proportional to the largest index.
    ///   - hash: The hash of its key.
    ///   - cost: Its cost, at least 1 and at most the capacity.
    package mutating func insert(_ slot: Int, hash: UInt64, cost: Int) {
        while entries.count <= slot { entries.append(Entry()) }
        reads.reserve(slot)
        reads[slot] = 0
        entries[slot] = Entry(hash: hash, isInMain: ghosts.remove(hash))
        if entries[slot].isInMain {
            links.append(slot, cost: cost, to: &main)
        } else {
            links.append(slot, cost: cost, to: &small)
        }
        count += 1
    }

    /// The entry was read.
    package func hit(_ slot: Int) { counter.increment(slot) }

    /// Does the same as ``hit(_:)`` for several threads, which share the policy as long as it does not change.
    var counter: ReadCounter { reads.counter }

    /// The entry has a new value. It stays where it is, because it is as wanted as before.
    mutating func change(_ slot: Int, cost: Int) {
        if entries[slot].isInMain {
            links.change(slot, cost: cost, in: &main)
        } else {
            links.change(slot, cost: cost, in: &small)
        }
    }

    /// The owner removes an entry.
    package mutating func remove(_ slot: Int) {
        if entries[slot].isInMain { links.remove(slot, from: &main) } else { links.remove(slot, from: &small) }
        count -= 1
    }

    /// Chooses an entry and removes it. Returns nil if there is none.
    package mutating func evict() -> Int? {
        if small.cost >= smallCapacity || main.isEmpty, let slot = evictFromSmall() { return slot }
        return evictFromMain() ?? evictFromSmall()
    }

    private mutating func evictFromSmall() -> Int? {
        while let slot = links.removeFirst(of: &small) {
            guard reads[slot] > 1 else {
                count -= 1
                ghosts.append(entries[slot].hash, limit: count)
                return slot
            }
            reads[slot] = 0
            entries[slot].isInMain = true
            links.append(slot, to: &main)
        }
        return nil
    }

    private mutating func evictFromMain() -> Int? {
        while let slot = links.removeFirst(of: &main) {
            guard reads[slot] > 0 else {
                count -= 1
                return slot
            }
            reads[slot] -= 1
            links.append(slot, to: &main)
        }
        return nil
    }
}

/// The hashes of the entries that were evicted last.
private struct GhostQueue {
    /// In the order of their evictions; also those that were removed since.
    private var hashes = Deque<UInt64>()
    /// The number of the eviction of the first of `hashes`.
    private var firstNumber = 0
    /// The number of the last eviction of each hash that is remembered.
    private var numbers: [UInt64: Int] = [:]

    /// Remembers a hash, and of the latest evictions no more than `limit`.
    mutating func append(_ hash: UInt64, limit: Int) {
        numbers[hash] = firstNumber + hashes.count
        hashes.append(hash)
        while hashes.count > max(1, limit), let oldest = hashes.popFirst() {
            if numbers[oldest] == firstNumber { numbers[oldest] = nil }
            firstNumber += 1
        }
    }

    /// Forgets a hash. Returns whether it was remembered.
    mutating func remove(_ hash: UInt64) -> Bool { numbers.removeValue(forKey: hash) != nil }
}

/// How often each slot was read, up to 3.
struct ReadCounts: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer. Only exclusive access replaces the memory.

    /// Freed in `deinit`.
    private(set) var counter = ReadCounter(counts: .allocate(capacity: 0))
    private var capacity = 0

    init() {}

    deinit {
        counter.counts.deinitialize(count: capacity)
        counter.counts.deallocate()
    }

    /// Makes room for a slot.
    mutating func reserve(_ slot: Int) {
        guard slot >= capacity else { return }
        let larger = max(64, slot + 1, capacity * 2)
        let memory = UnsafeMutablePointer<Atomic<UInt8>>.allocate(capacity: larger)
        memory.moveInitialize(from: counter.counts, count: capacity)
        for index in capacity..<larger { (memory + index).initialize(to: Atomic(0)) }
        counter.counts.deallocate()
        counter = ReadCounter(counts: memory)
        capacity = larger
    }

    subscript(_ slot: Int) -> UInt8 {
        get { counter.counts[slot].load(ordering: .relaxed) }
        set { counter.counts[slot].store(newValue, ordering: .relaxed) }
    }
}

/// Counts reads in the memory of ``ReadCounts``. It is valid until the policy changes.
///
/// Several threads may count at the same time: if two of them count a read of one slot, one of the reads can be lost.
@usableFromInline
package struct ReadCounter {
    /// Relaxed: a count orders no other memory access.
    @usableFromInline let counts: UnsafeMutablePointer<Atomic<UInt8>>

    init(counts: UnsafeMutablePointer<Atomic<UInt8>>) { self.counts = counts }

    /// Counts a read. Writes nothing if there were 3, so that threads do not take the memory from each other.
    @inlinable
    @inline(__always)
    package func increment(_ slot: Int) {
        let count = counts[slot].load(ordering: .relaxed)
        if count < 3 { counts[slot].store(count + 1, ordering: .relaxed) }
    }
}
