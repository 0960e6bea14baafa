// SPDX-License-Identifier: Apache-2.0

public import CAxiomSupport
internal import Foundation
public import Synchronization

/// A 64-bit total. It is one atomic word until several threads add to it at the same time; from then on it has one word
/// per shard, each on its own cache line.
///
/// An atomic addition does not report whether it waited for another processor. Therefore about one addition in a
/// thousand watches the word for a moment. If three watches in a row see the word change, the total is contended.
@usableFromInline
package struct ShardedTotal: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer, which leads to atomics.

    /// The amounts added before contention was found. Relaxed: the total orders no other memory access.
    @usableFromInline let home = Atomic<UInt64>(0)
    /// Nil until contention is found; set once. Allocated by the winner of the exchange in `grow`, freed in `deinit`.
    @usableFromInline let shards = Atomic<UnsafeMutableRawPointer?>(nil)
    /// The number of watches in a row that saw another thread.
    private let sightings = Atomic<UInt8>(0)

    @usableFromInline
    package init() {}

    deinit { shards.load(ordering: .acquiring).map { free($0) } }

    /// Adds `amount`, modulo 2^64. Cost: one relaxed atomic addition.
    @inlinable
    @inline(__always)
    package func add(_ amount: UInt64) {
        guard shards.load(ordering: .relaxed) == nil else { return addToShard(amount) }
        if Self.isSample(home.wrappingAdd(amount, ordering: .relaxed).oldValue) { watchHome() }
    }

    /// The total. It never decreases, except when it wraps. A scrape reads thousands of them: the usual case is inlined.
    @inlinable
    package var value: UInt64 {
        let total = home.load(ordering: .relaxed)
        guard let shards = shards.load(ordering: .acquiring) else { return total }
        return total &+ Self.sum(shards)
    }

    @usableFromInline
    static func sum(_ shards: UnsafeMutableRawPointer) -> UInt64 {
        (0..<Shards.count).reduce(0) { $0 &+ word(shards, $1).pointee.load(ordering: .relaxed) }
    }

    /// Whether the total is kept in shards.
    package var isSharded: Bool { shards.load(ordering: .relaxed) != nil }

    /// True for one old value in 1,024, whatever the increment: Fibonacci hashing.
    @inlinable
    @inline(__always)
    static func isSample(_ old: UInt64) -> Bool { (old &* 0x9e37_79b9_7f4a_7c15) >> 54 == 0x155 }

    @usableFromInline
    @inline(never)
    func addToShard(_ amount: UInt64) {
        guard let shards = shards.load(ordering: .acquiring) else { return }
        let word = Self.word(shards, Shards.own)
        let old = word.pointee.wrappingAdd(amount, ordering: .relaxed).oldValue
        if Self.isSample(old), Self.changes(word, from: old &+ amount) { Shards.moveOn() }
    }

    @usableFromInline
    @inline(never)
    func watchHome() {
        let now = home.load(ordering: .relaxed)
        var isShared = false
        for _ in 0..<Self.watchLength where home.load(ordering: .relaxed) != now { isShared = true }
        guard isShared else { return sightings.store(0, ordering: .relaxed) }
        if sightings.wrappingAdd(1, ordering: .relaxed).newValue >= 3 { grow() }
    }

    /// A watch takes about 100 ns: long enough to see a thread that adds continuously, too short to see one that adds
    /// rarely.
    private static let watchLength = 128

    private static func changes(_ word: UnsafePointer<Atomic<UInt64>>, from value: UInt64) -> Bool {
        for _ in 0..<watchLength where word.pointee.load(ordering: .relaxed) != value { return true }
        return false
    }

    /// Allocates the shards, if no other thread did.
    package func grow() {
        guard shards.load(ordering: .relaxed) == nil,
            let fresh = aligned_alloc(Shards.alignment, Shards.count * Shards.alignment)
        else { return }
        memset(fresh, 0, Shards.count * Shards.alignment)
        if !shards.compareExchange(expected: nil, desired: fresh, ordering: .acquiringAndReleasing).exchanged {
            free(fresh)
        }
    }

    @inline(__always)
    private static func word(_ shards: UnsafeMutableRawPointer, _ index: Int) -> UnsafePointer<Atomic<UInt64>> {
        // Zeroed memory is an atomic 0.
        UnsafePointer((shards + index * Shards.alignment).assumingMemoryBound(to: Atomic<UInt64>.self))
    }
}

/// A ``ShardedTotal`` as an object: a count without a metric family, which a collector reads or from which other values
/// are derived.
package final class Tally: Sendable {
    @usableFromInline let total = ShardedTotal()

    package init() {}

    /// Adds 1. Cost: one relaxed atomic addition.
    @inlinable
    @inline(__always)
    package func increment() { total.add(1) }

    /// The total so far, modulo 2^64.
    package var value: UInt64 { total.value }
}

/// How many shards a contended total or instrument has, and which of them the current thread uses.
@usableFromInline
package enum Shards {
    /// A power of two from 4 to 64, and at least twice the number of processors: threads that run at the same time
    /// rarely share a shard.
    package static var count: Int { Int(axiom_shard_count()) }

    /// Each shard starts on its own pair of cache lines, because processors prefetch the second line of a pair.
    @inlinable
    @inline(__always)
    package static var alignment: Int { 128 }

    /// The index of the current thread's shard, below ``count``.
    @inlinable
    @inline(__always)
    package static var own: Int { Int(axiom_shard()) }

    /// ``own`` plus 1; 0 if the current thread has no shard yet.
    ///
    /// It calls no function. A function that reads it therefore need not save registers before an atomic operation,
    /// which would wait until they are written to memory.
    @inlinable
    @inline(__always)
    package static var ownPlusOne: Int { Int(axiom_shard_plus_one()) }

    /// Assigns the current thread another shard, for all instruments, after it met another thread in its shard.
    package static func moveOn() { _ = axiom_shard_advance() }
}
