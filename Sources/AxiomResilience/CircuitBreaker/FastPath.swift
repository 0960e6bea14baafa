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

/// Counts calls without a lock while the state machine has nothing to decide, in counters that threads do not share.
///
/// It is enabled while the breaker is closed and its count window is full of plain successes. Another success then changes
/// nothing but the counts. The breaker enables and disables it under its lock. A call that has found it enabled counts as
/// if it had come just before it was disabled.
///
/// `ShardedTotal` of AxiomBase is not suitable. Its additions are relaxed, whereas a success must be released after its
/// admission. It assigns other shards to threads that contend, whereas a shard here also holds the latest instant that
/// its threads passed. The shards exist from the start, because the fast path has no time to detect contention.
struct FastPath: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointer, which points to atomics.

    private typealias Word = Atomic<Int>

    /// The number of shards, a power of two. Each shard has a pair of cache lines of its own: 1 KiB in all.
    private static let shards = 8
    private static let stride = 128

    /// The stamp of the tickets that the fast path issues; 0 while it is disabled. Written with release under the breaker's
    /// lock and read with acquire by every call: a thread that knows of an operator's command also sees its effect.
    private let stamp = Atomic<UInt64>(0)
    /// The machine's time, in nanoseconds, when the fast path was enabled. Written under the breaker's lock before `stamp`.
    private let enabledAt = Atomic<Int64>(.min)
    /// Three words per shard, which never decrease: admitted calls, successful calls, and the latest instant that a caller
    /// passed. Freed in `deinit`.
    private let memory: UnsafeMutableRawPointer

    init() {
        memory = .allocate(byteCount: Self.shards * Self.stride, alignment: Self.stride)
        for shard in 0..<Self.shards {
            for word in 0..<3 {
                Self.word(memory + shard * Self.stride, word).initialize(to: Word(word < 2 ? 0 : .min))
            }
        }
    }

    deinit { memory.deallocate() }

    /// Enables the fast path for tickets with a stamp, or disables it with 0. Call it with the breaker's lock held.
    ///
    /// - Parameter now: The machine's time.
    @inline(__always)
    func set(_ new: UInt64, at now: Int64) {
        guard stamp.load(ordering: .relaxed) != new else { return }
        enabledAt.store(now, ordering: .relaxed)
        stamp.store(new, ordering: .releasing)
    }

    /// Whether the fast path is enabled. Call it with the breaker's lock held.
    @inline(__always)
    var isEnabled: Bool { stamp.load(ordering: .relaxed) != 0 }

    /// The latest instant that a call passed, in nanoseconds.
    var latest: Int64 {
        var latest = Int.min
        for shard in 0..<Self.shards {
            latest = max(latest, Self.word(memory + shard * Self.stride, 2).pointee.load(ordering: .relaxed))
        }
        return Int64(latest)
    }

    /// Admits a call. Returns the stamp of its ticket; 0 if the call needs the lock.
    @inline(__always)
    func admit() -> UInt64 {
        let stamp = stamp.load(ordering: .acquiring)
        if stamp != 0 { Self.word(ownShard, 0).pointee.wrappingAdd(1, ordering: .relaxed) }
        return stamp
    }

    /// Admits a call with an instant.
    ///
    /// The call is dated to the latest of its instant, the latest one of the same thread, and the machine's time when the
    /// fast path was enabled. Instants that two threads pass at the same time have no order.
    ///
    /// - Returns: The ticket; nil if the call needs the lock.
    @inline(__always)
    func admit(at instant: Instant, _ deadlines: DeadlineSnapshot) -> Ticket? {
        let stamp = admit()
        guard stamp != 0 else { return nil }
        let admittedAt = max(updateLatest(instant), enabledAt.load(ordering: .relaxed))
        return Ticket(stamp: stamp, admittedAt: admittedAt, slot: -1, deadlines: deadlines)
    }

    /// Stores the instant if it is the latest of its shard. Returns the latest instant of the shard.
    @inline(__always)
    private func updateLatest(_ instant: Instant) -> Int64 {
        let word = Self.word(ownShard, 2)
        let latest = word.pointee.load(ordering: .relaxed)
        // Two threads of one shard may overwrite each other. Both instants are then the present.
        if instant.nanoseconds > latest { word.pointee.store(Int(instant.nanoseconds), ordering: .relaxed) }
        return max(instant.nanoseconds, Int64(latest))
    }

    /// Records a success, with an instant, of a call with the given stamp.
    ///
    /// - Returns: Whether it was recorded. If not, the call needs the lock.
    @inline(__always)
    func succeed(_ ticketStamp: UInt64, at instant: Instant) -> Bool {
        guard succeed(ticketStamp) else { return false }
        _ = updateLatest(instant)
        return true
    }

    /// Records a success of a call with the given stamp, also if the call was admitted under the lock.
    ///
    /// - Returns: Whether it was recorded. If not, the call needs the lock.
    @inline(__always)
    func succeed(_ ticketStamp: UInt64) -> Bool {
        guard stamp.load(ordering: .acquiring) == ticketStamp else { return false }
        // Release: a reader that sees this success also sees its admission.
        Self.word(ownShard, 1).pointee.wrappingAdd(1, ordering: .releasing)
        return true
    }

    /// The calls that the fast path has counted.
    ///
    /// With the breaker's lock held, no more calls have ended than were admitted on both paths together: successes are read
    /// first, and each has its admission before it.
    var totals: FastPathTotals {
        var totals = FastPathTotals()
        for shard in 0..<Self.shards {
            totals.succeeded += Self.word(memory + shard * Self.stride, 1).pointee.load(ordering: .acquiring)
        }
        for shard in 0..<Self.shards {
            totals.admitted += Self.word(memory + shard * Self.stride, 0).pointee.load(ordering: .relaxed)
        }
        return totals
    }

    /// The shard of this thread: the address of its descriptor, spread by a multiplication (Fibonacci hashing).
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
