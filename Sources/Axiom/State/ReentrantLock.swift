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

/// A mutex that knows whether the calling thread holds it.
///
/// A thread that locks a mutex twice waits for ever. A store runs its user's code with the lock held, so a
/// second entry is possible, and the store has a better answer to it than that.
///
/// Lock and unlock are apart, because `withLock` around a generic body costs more
/// than the lock: its closure and result types are looked up at run time.
struct ReentrantLock: ~Copyable, Sendable {
    private let mutex = Lock(())

    /// The thread that holds `mutex`, 0 for none. Written only by that thread.
    ///
    /// Relaxed is enough: a thread finds its own number here only if it wrote that itself and has not unlocked since.
    private let holder = Atomic<UInt>(0)

    /// Takes the lock, unless this thread holds it.
    ///
    /// - Returns: Whether it was taken, and so has to be unlocked.
    func lock() -> Bool {
        let thread = Self.thisThread
        if holder.load(ordering: .relaxed) == thread { return false }
        mutex.lock()
        holder.store(thread, ordering: .relaxed)
        return true
    }

    func unlock() {
        holder.store(0, ordering: .relaxed)
        mutex.unlock()
    }

    /// Unique among living threads and never 0.
    private static var thisThread: UInt {
        #if canImport(Glibc)
        pthread_self()
        #else
        // A pointer to the thread's descriptor.
        unsafeBitCast(pthread_self(), to: UInt.self)
        #endif
    }
}
