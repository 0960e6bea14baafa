// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
internal import Foundation
public import Synchronization

/// A set of cells, each claimed by one thread for the length of one observation, so that a reader never sees a torn
/// update.
///
/// A recording thread claims a cell with one atomic compare-and-exchange, writes plain memory, and releases the cell. If
/// another thread records in the cell, it tries the next cell instead of waiting. The first observation allocates a cell,
/// the home cell. After several recording threads have met in it, there is one more cell per shard. A reader does not count as
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
        /// Only the word before `absent` has this value, and for ever.
        static let absent: UInt64 = 3
    }

    /// Stands for a cell that was not allocated. It can never be claimed, so that recording does not need to check.
    private static nonisolated(unsafe) let absent: UnsafeMutableRawPointer = {
        let word = UnsafeMutablePointer<UInt64>.allocate(capacity: 2)
        word.initialize(repeating: Claim.absent, count: 2)
        return UnsafeMutableRawPointer(word + 1)
    }()

    /// The first cell; `absent` until the first observation, set once. Allocated by the thread that wins the exchange in
    /// `makeHome`, freed in `deinit`.
    @usableFromInline let homeCell: Atomic<UnsafeMutableRawPointer>
    /// Nil until contention is found; set once. Allocated by the thread that wins the exchange in `grow`, freed in
    /// `deinit`.
    @usableFromInline let shards = Atomic<UnsafeMutableRawPointer?>(nil)
    /// How often a recording thread met another one in the home cell.
    private let meetings = Atomic<UInt32>(0)
    private let wholeSize: UInt32
    /// The distance between two shards in bytes.
    @usableFromInline let stride: Int

    /// The size of the claim word before each cell.
    @inlinable static var claimSize: Int { 8 }

    /// Each cell has `size` bytes, which are zero at first. Allocates nothing.
    init(size: Int) {
        let whole = Self.claimSize + size
        wholeSize = UInt32(whole)
        stride = (whole + Shards.alignment - 1) / Shards.alignment * Shards.alignment
        homeCell = Atomic(Self.absent)
    }

    deinit {
        if hasHome { (home - Self.claimSize).deallocate() }
        shards.load(ordering: .acquiring).map { free($0) }
    }

    /// Whether there is more than one cell.
    var isSharded: Bool { shards.load(ordering: .relaxed) != nil }

    /// Acquiring, because the cell was initialized before.
    @inlinable
    @inline(__always)
    var home: UnsafeMutableRawPointer { homeCell.load(ordering: .acquiring) }

    private var hasHome: Bool { home != Self.absent }

    /// Claims the home cell; nil if it is not free, or not the only one. Cost: one atomic compare-and-exchange.
    @inlinable
    @inline(__always)
    func claimHome() -> UnsafeMutableRawPointer? {
        guard shards.load(ordering: .relaxed) == nil else { return nil }
        let home = home
        return Self.take(home) ? home : nil
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
    /// - Parameter prepare: Initializes each cell that is allocated.
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
                let home = home
                let (isTaken, found) = Self.claim(home)
                if isTaken { return home }
                if found == Claim.absent {
                    makeHome(prepare)
                } else if found == Claim.reading {
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
        if hasHome { read(home, body) }
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

    private func makeHome(_ prepare: (UnsafeMutableRawPointer) -> Void) {
        let memory = UnsafeMutableRawPointer.allocate(byteCount: Int(wholeSize), alignment: 16)
        memset(memory, 0, Int(wholeSize))
        let fresh = memory + Self.claimSize
        prepare(fresh)
        if !homeCell.compareExchange(expected: Self.absent, desired: fresh, ordering: .releasing).exchanged {
            memory.deallocate()
        }
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
