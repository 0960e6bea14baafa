// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A mutex that detects when the calling thread already holds it.
///
/// A thread that locks an ordinary mutex twice deadlocks. A store runs user code while it holds its lock, so a second
/// entry can happen, and the store handles it.
///
/// `lock()` and `unlock()` are separate functions, because `withLock` around a generic body costs more than the lock
/// itself: the runtime looks up the types of its closure and its result.
@usableFromInline
package struct ReentrancyDetectingLock: ~Copyable, Sendable {
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
}
