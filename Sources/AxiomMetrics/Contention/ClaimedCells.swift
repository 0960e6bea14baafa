// SPDX-License-Identifier: Apache-2.0

internal import Foundation
public import Synchronization

/// Memory in which one thread at a time records, so that all it writes for one observation belongs together.
///
/// A recording thread claims a cell by one atomic compare-and-exchange, writes plain memory, and releases the cell. It does not
/// wait for another that records in the cell: it goes on to the next. There is one cell, the home, until recording threads
/// have met in it several times, and from then on there are twice as many as processors besides. A reader is no such
/// meeting, however often pages are read: while there is one cell, a recording thread yields until it is read. Only when all of them are
/// taken at the same instant, whose owners were all interrupted within some nanoseconds, does a thread yield.
///
/// Who reads claims one cell after the other. Each is consistent in itself, and so is their sum.
@usableFromInline
struct ClaimedCells: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: a cell's memory is touched by its claimant alone. The claim lies before the
    // cell, outside of what its claimant takes for its own.

    /// What the word before a cell says. Only the claimant changes a value other than `free`.
    @usableFromInline
    enum Claim {
        @usableFromInline static let free: UInt64 = 0
        @usableFromInline static let recording: UInt64 = 1
        @usableFromInline static let reading: UInt64 = 2
    }

    /// The first cell. Allocated in `init`, freed in `deinit`.
    @usableFromInline let home: UnsafeMutableRawPointer
    /// nil until contention was found, then never again. Allocated by the thread that wins the exchange in `grow`,
    /// freed in `deinit`.
    @usableFromInline let shards = Atomic<UnsafeMutableRawPointer?>(nil)
    /// How often a recording thread has met another in the home cell.
    private let meetings = Atomic<UInt32>(0)
    /// The bytes from one shard to the next.
    private let stride: Int

    /// The bytes of the claim before each cell.
    @inlinable static var claimSize: Int { 8 }

    /// Makes the home cell, all zeros, of `size` bytes.
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

    /// Whether there are more cells than one.
    var isSharded: Bool { shards.load(ordering: .relaxed) != nil }

    /// Takes the home cell if it is the only one and free. Cost: one atomic compare-and-exchange.
    @inlinable
    @inline(__always)
    func claimHome() -> Bool {
        shards.load(ordering: .relaxed) == nil && Self.take(home)
    }

    /// Releases a cell: what was written in it is seen by the next who claims it.
    @inlinable
    @inline(__always)
    static func release(_ cell: UnsafeMutableRawPointer) {
        word(cell).pointee.store(Claim.free, ordering: .releasing)
    }

    /// Takes this thread's shard; nil when it is not free or there are no shards.
    @inline(__always)
    func claimOwnShard() -> UnsafeMutableRawPointer? {
        guard let shards = shards.load(ordering: .acquiring) else { return nil }
        let cell = shards + (Shards.own &* stride &+ Self.claimSize)
        return Self.take(cell) ? cell : nil
    }

    /// Takes a cell that is free, where the home cell was not or is no longer alone.
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
                    // A page is read. That is no contention, and soon over.
                    sched_yield()
                } else if meetings.wrappingAdd(1, ordering: .relaxed).newValue >= 4 {
                    grow(prepare)
                }
            }
        }
    }

    /// Claims all cells one after the other and lends each to `body`. Waits for their owners.
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
            // An owner that was interrupted gets the processor back; a pause serves where priorities keep it from that.
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

    /// Claims a free cell for recording; leaves another's claim as it is, and returns it.
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
