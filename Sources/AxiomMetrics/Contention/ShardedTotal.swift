// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Synchronization

/// A 64-bit total that is one atomic word until several threads are found to add to it at the same time, and from then
/// on as many words as there are shards, each on a cache line of its own.
///
/// An atomic addition does not tell whether it had to wait for another processor. So about one addition in a thousand
/// stays and watches the word for a moment; when it sees it change three times in succession, the total is contended.
@usableFromInline
struct ShardedTotal: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer, which leads to atomics.

    /// What was added until contention was found. Relaxed: a total orders nothing else in the program.
    @usableFromInline let home = Atomic<UInt64>(0)
    /// nil until contention was found, then never again. Allocated by the thread that wins the exchange in `grow`,
    /// freed in `deinit`.
    @usableFromInline let shards = Atomic<UnsafeMutableRawPointer?>(nil)
    /// How many watches in succession have seen another thread.
    private let sightings = Atomic<UInt8>(0)

    init() {}

    deinit {
        shards.load(ordering: .acquiring).map { free($0) }
    }

    /// Adds `amount`, modulo 2^64. Cost: one relaxed atomic addition.
    @inlinable
    @inline(__always)
    func add(_ amount: UInt64) {
        guard shards.load(ordering: .relaxed) == nil else { return addToShard(amount) }
        if Self.isSample(home.wrappingAdd(amount, ordering: .relaxed).oldValue) { watchHome() }
    }

    /// The total. Never less than before, as long as it does not wrap.
    var value: UInt64 {
        var total = home.load(ordering: .relaxed)
        if let shards = shards.load(ordering: .acquiring) {
            for index in 0..<Shards.count { total &+= Self.word(shards, index).pointee.load(ordering: .relaxed) }
        }
        return total
    }

    /// Whether the total is kept in shards.
    var isSharded: Bool { shards.load(ordering: .relaxed) != nil }

    /// True for one old value in 1,024, whatever the step from each to the next: Fibonacci hashing.
    @inlinable
    @inline(__always)
    static func isSample(_ old: UInt64) -> Bool {
        (old &* 0x9e37_79b9_7f4a_7c15) >> 54 == 0x155
    }

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

    /// A watch takes some 100 ns: long enough to see a thread that adds all the time, and seldom one that does not.
    private static let watchLength = 128

    private static func changes(_ word: UnsafePointer<Atomic<UInt64>>, from value: UInt64) -> Bool {
        for _ in 0..<watchLength where word.pointee.load(ordering: .relaxed) != value { return true }
        return false
    }

    func grow() {
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
