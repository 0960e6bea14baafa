// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

#if canImport(Glibc)
internal import Glibc
#elseif canImport(Musl)
internal import Musl
#elseif canImport(Darwin)
internal import Darwin
#endif

/// The way of calls through a breaker that has nothing to decide: no lock, and counters that threads do not share.
///
/// It is open while the breaker is closed and its count window is full of nothing but plain successes. One success more
/// changes nothing then but the count of calls. The state machine opens and closes it under the breaker's lock; a call
/// that has found it open counts as if it had come just before it was closed.
struct QuietLane: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer, which leads to atomics.

    /// What went this way.
    struct Totals: Equatable, Sendable {
        var admitted = 0
        var succeeded = 0
    }

    private typealias Word = Atomic<Int>

    /// A power of two of places, each on a pair of cache lines of its own. 1 KiB in all.
    private static let shards = 8
    private static let stride = 128

    /// The stamp of the tickets that are given here; 0 while the lane is closed. Written under the breaker's lock, read
    /// by every call: acquire and release, so that who knows of an order has its effect.
    private let stamp = Atomic<UInt64>(0)
    /// The machine's time when the lane was opened, in nanoseconds. Written under the breaker's lock before `stamp`.
    private let opened = Atomic<Int64>(.min)
    /// Three words in each shard, which only grow: calls that were admitted, calls that succeeded, and the latest instant
    /// that was handed in. Freed in `deinit`.
    private let memory: UnsafeMutableRawPointer

    init() {
        memory = .allocate(byteCount: Self.shards * Self.stride, alignment: Self.stride)
        for shard in 0..<Self.shards {
            for word in 0..<3 {
                Self.word(memory + shard * Self.stride, word).initialize(to: Word(word < 2 ? 0 : .min))
            }
        }
    }

    deinit {
        memory.deallocate()
    }

    /// Opens the lane for tickets of a stamp, or closes it with 0. To be called with the breaker's lock held.
    ///
    /// - Parameter now: The machine's time.
    @inline(__always)
    func set(_ new: UInt64, at now: Int64) {
        guard stamp.load(ordering: .relaxed) != new else { return }
        opened.store(now, ordering: .relaxed)
        stamp.store(new, ordering: .releasing)
    }

    /// Whether the lane is open. To be called with the breaker's lock held.
    @inline(__always)
    var isOpen: Bool { stamp.load(ordering: .relaxed) != 0 }

    /// The latest instant that a call handed in here, in nanoseconds.
    var latest: Int64 {
        var latest = Int.min
        for shard in 0..<Self.shards {
            latest = max(latest, Self.word(memory + shard * Self.stride, 2).pointee.load(ordering: .relaxed))
        }
        return Int64(latest)
    }

    /// Admits a call.
    ///
    /// - Returns: The stamp of its ticket; 0 where it has to go the other way.
    @inline(__always)
    func admit() -> UInt64 {
        let stamp = stamp.load(ordering: .acquiring)
        if stamp != 0 { Self.word(ownShard, 0).pointee.wrappingAdd(1, ordering: .relaxed) }
        return stamp
    }

    /// Admits a call that comes with an instant.
    ///
    /// An instant before one that the same thread handed in, or that the machine had seen when the lane was opened, is
    /// taken to be that. Instants that two threads hand in at once have no order.
    ///
    /// - Returns: The ticket; nil if the call has to take the other way.
    @inline(__always)
    func admit(at instant: Instant, _ deadlines: DeadlineMark) -> Ticket? {
        let stamp = admit()
        guard stamp != 0 else { return nil }
        let admittedAt = max(note(instant), opened.load(ordering: .relaxed))
        return Ticket(stamp: stamp, admittedAt: admittedAt, slot: -1, deadlines: deadlines)
    }

    /// Keeps the instant if it is the latest of its shard.
    ///
    /// - Returns: The latest instant of the shard.
    @inline(__always)
    private func note(_ instant: Instant) -> Int64 {
        let word = Self.word(ownShard, 2)
        let latest = word.pointee.load(ordering: .relaxed)
        // Two threads of one shard may overwrite each other here. Each has an instant of now then.
        if instant.nanoseconds > latest { word.pointee.store(Int(instant.nanoseconds), ordering: .relaxed) }
        return max(instant.nanoseconds, Int64(latest))
    }

    /// Takes in a success of a call with that stamp that comes with an instant.
    ///
    /// - Returns: Whether it did; else the other way is to be gone.
    @inline(__always)
    func succeed(_ ticketStamp: UInt64, at instant: Instant) -> Bool {
        guard succeed(ticketStamp) else { return false }
        _ = note(instant)
        return true
    }

    /// Takes in a success of a call with that stamp, whichever way it was admitted.
    ///
    /// - Returns: Whether it did; else the other way is to be gone.
    @inline(__always)
    func succeed(_ ticketStamp: UInt64) -> Bool {
        guard stamp.load(ordering: .acquiring) == ticketStamp else { return false }
        // Released, so that who counts it also counts its admission.
        Self.word(ownShard, 1).pointee.wrappingAdd(1, ordering: .releasing)
        return true
    }

    /// What went this way so far. With the breaker's lock held, no more calls have ended than were admitted by both
    /// ways together: ends are read first, and each has its admission before it.
    var totals: Totals {
        var totals = Totals()
        for shard in 0..<Self.shards {
            totals.succeeded += Self.word(memory + shard * Self.stride, 1).pointee.load(ordering: .acquiring)
        }
        for shard in 0..<Self.shards {
            totals.admitted += Self.word(memory + shard * Self.stride, 0).pointee.load(ordering: .relaxed)
        }
        return totals
    }

    /// Threads differ in their descriptors' addresses, which a multiplication spreads (Fibonacci hashing).
    @inline(__always)
    private var ownShard: UnsafeMutableRawPointer {
        #if canImport(Glibc)
        let thread = UInt64(pthread_self())
        #else
        let thread = UInt64(UInt(bitPattern: pthread_self()))
        #endif
        return memory + Int((thread &* 0x9e37_79b9_7f4a_7c15) >> 61) * Self.stride
    }

    @inline(__always)
    private static func word(_ shard: UnsafeMutableRawPointer, _ index: Int) -> UnsafeMutablePointer<Word> {
        (shard + index * MemoryLayout<Int>.stride).assumingMemoryBound(to: Word.self)
    }
}
