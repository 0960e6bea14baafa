// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Synchronization

/// A lock around a value, for sections of some nanoseconds: taken by one atomic exchange and released by a plain store,
/// which is less than half of what `Mutex` costs on Linux, where its release is an exchange too.
///
/// Who finds it taken watches it for a moment, then lets other threads run, and in the end sleeps, so that an owner
/// which was interrupted gets the processor back whatever the priorities.
struct BriefLock<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
    // Unchecked because of the pointers: the value is touched by who holds the lock alone.

    private typealias Word = Atomic<UInt32>

    /// The word and the value lie on the same cache lines, which nothing else shares: who gets the one has the other.
    private let memory: UnsafeMutableRawPointer
    /// 1 while it is taken. Acquired by exchange, released by store.
    private let word: UnsafeMutablePointer<Word>
    /// Guarded by `word`.
    private let value: UnsafeMutablePointer<Value>

    init(_ initial: consuming sending Value) {
        let offset = max(16, MemoryLayout<Value>.alignment)
        memory = .allocate(byteCount: offset + MemoryLayout<Value>.size, alignment: 128)
        word = memory.bindMemory(to: Word.self, capacity: 1)
        word.initialize(to: Word(0))
        value = (memory + offset).bindMemory(to: Value.self, capacity: 1)
        value.initialize(to: initial)
    }

    deinit {
        value.deinitialize(count: 1)
        word.deinitialize(count: 1)
        memory.deallocate()
    }

    @inline(__always)
    func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        if word.pointee.exchange(1, ordering: .acquiring) != 0 { wait() }
        defer { word.pointee.store(0, ordering: .releasing) }
        return body(&value.pointee)
    }

    /// Looks again after pauses, up to half a microsecond long, in which it touches nothing that the owner needs. The
    /// owner keeps the cache line meanwhile, and gets through several sections in the time in which the line would have
    /// gone to and fro.
    @inline(never)
    private func wait() {
        var attempts = 0
        repeat {
            attempts += 1
            if attempts.isMultiple(of: 512) { usleep(50) } else if attempts.isMultiple(of: 32) { sched_yield() }
            Self.pause(min(24, 1 << min(attempts, 5)))
        } while word.pointee.load(ordering: .relaxed) != 0 || word.pointee.exchange(1, ordering: .acquiring) != 0
    }

    /// Readings of a clock are work that no compiler takes out and no other processor notices: some 20 ns each.
    private static func pause(_ readings: Int) {
        var time = timespec()
        for _ in 0..<readings { clock_gettime(CLOCK_MONOTONIC, &time) }
    }
}
