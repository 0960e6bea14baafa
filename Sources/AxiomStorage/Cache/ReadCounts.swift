// SPDX-License-Identifier: Apache-2.0

public import Synchronization

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
