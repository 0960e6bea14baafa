// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation
public import Synchronization

/// Tells when memory that was unlinked from a shared structure can be freed, although readers take no lock.
///
/// This is epoch-based reclamation. A reader counts itself into the current epoch while it follows pointers. The epoch
/// moves from `e` to `e + 1` only when no reader of `e - 1` is left. What was unlinked in epoch `r` is therefore
/// unreachable in epoch `r + 2`:
/// - A reader of epoch `r` or before was counted when the epoch left `r + 1`, so that it had ended by then. The end of
///   its count releases what it did, and the check that found the count at 0 acquires it.
/// - A reader of epoch `r + 1` or later has read an epoch that was stored under the lock after `r` was read under it, so
///   that it sees the structure without the unlinked memory.
///
/// Readers are wait-free but for the change of an epoch, during which they enter again. They must not run user code, and
/// must not wait: a reader that the kernel has interrupted keeps garbage from being freed, and nothing else.
package final class ReadEpochs: @unchecked Sendable {
    // Unchecked because of the pointers, which lead to atomics.

    /// What readers need. All tables of a registry share it, since readers stay for some nanoseconds.
    @usableFromInline let readers: EpochReaders
    /// Held while the epoch moves and while something is retired.
    private let lock = Lock(())

    /// Makes epochs without readers. Memory: 256 bytes for each shard.
    package init() {
        let lines = 1 + 2 * Shards.count
        let memory = UnsafeMutableRawPointer.allocate(
            byteCount: lines * Shards.alignment,
            alignment: Shards.alignment
        )
        memset(memory, 0, lines * Shards.alignment)
        readers = EpochReaders(memory: memory)
    }

    deinit {
        readers.memory.deallocate()
    }

    /// The epoch in which something was retired that has just been unlinked.
    func retire() -> UInt64 {
        lock.withLock { _ in readers.epoch.pointee.load(ordering: .relaxed) }
    }

    /// The epoch up to which, including itself, what was retired can be freed; nil when there is none. Moves the epoch on
    /// as far as the readers allow.
    func settled() -> UInt64? {
        lock.withLock { _ in
            var now = readers.epoch.pointee.load(ordering: .relaxed)
            for _ in 0..<2 where !readers.areCounted(parity: (now &+ 1) & 1) {
                now &+= 1
                readers.epoch.pointee.store(now, ordering: .sequentiallyConsistent)
            }
            return now >= 2 ? now - 2 : nil
        }
    }
}

/// The readers' side of ``ReadEpochs``, without a reference that would have to be counted: it must outlive them.
@usableFromInline
package struct EpochReaders: @unchecked Sendable {
    // Unchecked because of the pointer, which leads to atomics: first the epoch, then for both parities of an epoch a count
    // for each shard, on cache lines of its own.

    /// Where a reader is counted.
    @usableFromInline package typealias Count = UnsafePointer<Atomic<UInt64>>

    fileprivate let memory: UnsafeMutableRawPointer

    /// Only grows. Stored under the lock.
    fileprivate var epoch: Count {
        // Zeroed memory is an atomic 0.
        UnsafePointer(memory.assumingMemoryBound(to: Atomic<UInt64>.self))
    }

    /// Begins to read. Cost: one atomic addition, on a cache line that threads seldom share.
    @usableFromInline
    package func enter() -> Count {
        while true {
            let now = epoch.pointee.load(ordering: .sequentiallyConsistent)
            let count = count(parity: now & 1, Shards.own)
            let before = count.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
            if epoch.pointee.load(ordering: .sequentiallyConsistent) == now {
                // Another reader is in this shard: from now on this thread uses another.
                if before != 0 { Shards.moveOn() }
                return count
            }
            Self.leave(count)
        }
    }

    /// Ends to read: the pointers that were followed mean nothing any more.
    ///
    /// An addition, not a store: no compiler moves the retain of what was found behind it.
    @inlinable
    @inline(__always)
    package static func leave(_ count: Count) {
        count.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    /// Whether readers of an epoch of this parity are left.
    fileprivate func areCounted(parity: UInt64) -> Bool {
        (0..<Shards.count).contains {
            count(parity: parity, $0).pointee.load(ordering: .sequentiallyConsistent) != 0
        }
    }

    @inline(__always)
    private func count(parity: UInt64, _ shard: Int) -> Count {
        let line = 1 &+ Int(truncatingIfNeeded: parity) &* Shards.count &+ shard
        return UnsafePointer((memory + line &* Shards.alignment).assumingMemoryBound(to: Atomic<UInt64>.self))
    }
}
