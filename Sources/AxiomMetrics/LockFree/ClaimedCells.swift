// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Foundation
public import Synchronization

/// A set of cells, each claimed by one thread for the length of one observation, so that a reader never sees a torn
/// update.
///
/// A recording thread claims a cell with one atomic compare-and-exchange, writes plain memory, and releases the cell. If
/// another thread records in the cell, it tries the next cell instead of waiting. At first there is one cell, the home
/// cell. After several recording threads have met in it, there is one more cell per shard. A reader does not count as
/// such a meeting: with one cell, a recording thread yields until the reader is done. With several cells a thread yields
/// only if all of them are claimed, which means that their owners were all interrupted within some nanoseconds.
///
/// A reader claims one cell after the other. Each cell is consistent, and so is their sum.
@usableFromInline
struct ClaimedCells: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: only the claimant accesses a cell's memory. The claim word lies before the cell.

    /// The states of the word before a cell. Only the claimant changes a value other than `free`.
    @usableFromInline
    enum Claim {
        @usableFromInline static let free: UInt64 = 0
        @usableFromInline static let recording: UInt64 = 1
        @usableFromInline static let reading: UInt64 = 2
    }

    /// The first cell. Allocated in `init`, freed in `deinit`.
    @usableFromInline let home: UnsafeMutableRawPointer
    /// Nil until contention is found; set once. Allocated by the thread that wins the exchange in `grow`, freed in
    /// `deinit`.
    @usableFromInline let shards = Atomic<UnsafeMutableRawPointer?>(nil)
    /// How often a recording thread met another one in the home cell.
    private let meetings = Atomic<UInt32>(0)
    /// The distance between two shards in bytes.
    @usableFromInline let stride: Int

    /// The size of the claim word before each cell.
    @inlinable static var claimSize: Int { 8 }

    /// Creates the home cell: `size` bytes, all zero.
    init(size: Int) {
        let whole = Self.claimSize + size
        stride = (whole + Shards.alignment - 1) / Shards.alignment * Shards.alignment
        let memory = UnsafeMutableRawPointer.allocate(byteCount: whole, alignment: 16)
        memset(memory, 0, whole)
        home = memory + Self.claimSize
    }

    deinit {
        (home - Self.claimSize).deallocate()
        shards.load(ordering: .acquiring).map { free($0) }
    }

    /// Whether there is more than one cell.
    var isSharded: Bool { shards.load(ordering: .relaxed) != nil }

    /// Claims the home cell if it is the only one and free. Cost: one atomic compare-and-exchange.
    @inlinable
    @inline(__always)
    func claimHome() -> Bool {
        shards.load(ordering: .relaxed) == nil && Self.take(home)
    }

    /// Releases a cell. The next claimant sees what was written in it.
    @inlinable
    @inline(__always)
    static func release(_ cell: UnsafeMutableRawPointer) {
        word(cell).pointee.store(Claim.free, ordering: .releasing)
    }

    /// Claims the cell of the current thread's shard; nil if it is not free, or if there are no shards or the thread has
    /// none yet.
    ///
    /// Every observation of a sharded instrument takes this path. It is inlined and calls nothing, so that no registers are
    /// saved before the atomic operation, which would wait until they are in the cache: that made an observation 20 %
    /// slower.
    @inlinable
    @inline(__always)
    func claimOwnShard() -> UnsafeMutableRawPointer? {
        let own = Shards.ownPlusOne
        guard own != 0, let shards = shards.load(ordering: .acquiring) else { return nil }
        let cell = shards + ((own &- 1) &* stride &+ Self.claimSize)
        return Self.take(cell) ? cell : nil
    }

    /// Claims any free cell, after the home cell or the thread's own cell was not free.
    ///
    /// - Parameter prepare: Initializes each cell when the shards are allocated.
    func claimAny(prepare: (UnsafeMutableRawPointer) -> Void) -> UnsafeMutableRawPointer {
        while true {
            if let shards = shards.load(ordering: .acquiring) {
                for _ in 0..<Shards.count {
                    Shards.moveOn()
                    let cell = shards + (Shards.own * stride + Self.claimSize)
                    if Self.take(cell) { return cell }
                }
                sched_yield()
            } else {
                let (isTaken, found) = Self.claim(home)
                if isTaken { return home }
                if found == Claim.reading {
                    // A reader is not contention, and is done soon.
                    sched_yield()
                } else if meetings.wrappingAdd(1, ordering: .relaxed).newValue >= 4 {
                    grow(prepare)
                }
            }
        }
    }

    /// Claims all cells one after the other and passes each to `body`. Waits for their owners.
    func readEach(_ body: (UnsafeMutableRawPointer) -> Void) {
        read(home, body)
        guard let shards = shards.load(ordering: .acquiring) else { return }
        for index in 0..<Shards.count { read(shards + (index * stride + Self.claimSize), body) }
    }

    private func read(_ cell: UnsafeMutableRawPointer, _ body: (UnsafeMutableRawPointer) -> Void) {
        var attempts = 0
        while !Self.word(cell).pointee.weakCompareExchange(
            expected: Claim.free,
            desired: Claim.reading,
            ordering: .acquiring
        ).exchanged {
            attempts += 1
            // Yielding lets an interrupted owner run. The pause is for owners of a lower priority.
            if attempts.isMultiple(of: 4_096) { usleep(50) } else if attempts.isMultiple(of: 64) { sched_yield() }
        }
        body(cell)
        Self.release(cell)
    }

    private func grow(_ prepare: (UnsafeMutableRawPointer) -> Void) {
        guard shards.load(ordering: .relaxed) == nil,
            let fresh = aligned_alloc(Shards.alignment, Shards.count * stride)
        else { return }
        memset(fresh, 0, Shards.count * stride)
        for index in 0..<Shards.count { prepare(fresh + (index * stride + Self.claimSize)) }
        if !shards.compareExchange(expected: nil, desired: fresh, ordering: .acquiringAndReleasing).exchanged {
            free(fresh)
        }
    }

    @inlinable
    @inline(__always)
    static func take(_ cell: UnsafeMutableRawPointer) -> Bool {
        claim(cell).isTaken
    }

    /// Claims a cell for recording if it is free; returns the previous state.
    @inlinable
    @inline(__always)
    static func claim(_ cell: UnsafeMutableRawPointer) -> (isTaken: Bool, found: UInt64) {
        let (exchanged, original) = word(cell).pointee.compareExchange(
            expected: Claim.free,
            desired: Claim.recording,
            ordering: .acquiring
        )
        return (exchanged, original)
    }

    @inlinable
    @inline(__always)
    static func word(_ cell: UnsafeMutableRawPointer) -> UnsafePointer<Atomic<UInt64>> {
        UnsafePointer((cell - claimSize).assumingMemoryBound(to: Atomic<UInt64>.self))
    }
}
