// SPDX-License-Identifier: Apache-2.0

public import CAxiomSupport
public import Synchronization

/// A mutex that detects when the calling thread already holds it.
///
/// A thread that locks an ordinary mutex twice deadlocks. A store runs user code while it holds its lock, so a second
/// entry can happen, and the store handles it.
///
/// `lock()` and `unlock()` are separate functions, because `withLock` around a generic body costs more than the lock
/// itself: the runtime looks up the types of its closure and its result.
///
/// On Linux it is one word of 4 bytes, because each store has a lock: 0, or the number of the thread that holds it and
/// ``waiting``. It works like the platform's ordinary mutex: a thread that finds it taken waits for the word in the
/// kernel, and the thread that unlocks wakes one. Nothing is handed over, so a running thread can take it first.
@usableFromInline
package struct ReentrancyDetectingLock: ~Copyable, Sendable {
    #if os(Linux)
    /// Relaxed is enough to detect reentry: a thread reads its own number here only if it stored it and has not unlocked
    /// since. Taking the lock acquires what its release released.
    @usableFromInline let word = Atomic<UInt32>(0)

    /// Set while threads may wait in the kernel.
    @usableFromInline static var waiting: UInt32 { 1 << 31 }

    package init() {}

    /// Takes the lock if the calling thread does not hold it.
    ///
    /// - Returns: True if the lock was taken; the caller then must unlock it.
    @inlinable
    package func lock() -> Bool {
        let thread = axiom_thread_number()
        if word.compareExchange(expected: 0, desired: thread, ordering: .acquiring).exchanged { return true }
        return lockAfterOthers(thread)
    }

    /// Releases the lock, which the calling thread must hold.
    @inlinable
    package func unlock() {
        if word.exchange(0, ordering: .releasing) & Self.waiting != 0 { wakeOne() }
    }

    @usableFromInline
    @inline(never)
    func lockAfterOthers(_ thread: UInt32) -> Bool {
        var found = word.load(ordering: .relaxed)
        if found & ~Self.waiting == thread { return false }
        while true {
            if found == 0 {
                // Other threads may still wait, so the bit stays set.
                let taken = word.weakCompareExchange(
                    expected: 0,
                    desired: thread | Self.waiting,
                    ordering: .acquiring
                )
                if taken.exchanged { return true }
                found = taken.original
                continue
            }
            if found & Self.waiting == 0 {
                let marked = word.weakCompareExchange(
                    expected: found,
                    desired: found | Self.waiting,
                    ordering: .relaxed
                )
                guard marked.exchanged else {
                    found = marked.original
                    continue
                }
                found |= Self.waiting
            }
            withUnsafePointer(to: word) { axiom_futex_wait($0, found) }
            found = word.load(ordering: .relaxed)
        }
    }

    @usableFromInline
    @inline(never)
    func wakeOne() { withUnsafePointer(to: word) { axiom_futex_wake_one($0) } }
    #else
    @usableFromInline let mutex = Lock(())

    /// The thread that holds `mutex`; 0 for none. Only that thread writes it.
    ///
    /// Relaxed is enough: a thread reads its own identifier here only if it stored it and has not unlocked since.
    @usableFromInline let holder = Atomic<UInt>(0)

    package init() {}

    /// Takes the lock if the calling thread does not hold it.
    ///
    /// - Returns: True if the lock was taken; the caller then must unlock it.
    @inlinable
    package func lock() -> Bool {
        let thread = CurrentThread.identifier
        if holder.load(ordering: .relaxed) == thread { return false }
        mutex.lock()
        holder.store(thread, ordering: .relaxed)
        return true
    }

    /// Releases the lock, which the calling thread must hold.
    @inlinable
    package func unlock() {
        holder.store(0, ordering: .relaxed)
        mutex.unlock()
    }
    #endif
}
