// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation
public import Synchronization

/// Epoch-based reclamation: decides when memory that was unlinked from a shared structure can be freed, although readers
/// take no lock.
///
/// A reader counts itself into the current epoch while it follows pointers. The epoch moves from `e` to `e + 1` only when
/// no reader of `e - 1` is left. Memory that was unlinked in epoch `r` is therefore unreachable in epoch `r + 2`:
/// - A reader of epoch `r` or earlier must have left before the epoch moved past `r + 1`. Its leaving has release
///   semantics, and the check that found the count at 0 has acquire semantics.
/// - A reader of epoch `r + 1` or later loaded an epoch that was stored under the lock after `r` was loaded under it.
///   It sees the structure without the unlinked memory.
///
/// Readers are wait-free, except that they enter again if the epoch changes at that moment. They must not run user code
/// or wait. A reader that the kernel interrupts delays only the freeing of memory.
package final class ReadEpochs: @unchecked Sendable {
    // Unchecked because of the pointers, which lead to atomics.

    /// The readers' part. All tables of a registry share it, because readers stay only for some nanoseconds.
    @usableFromInline let readers: EpochReaders
    /// Held while the epoch moves and while memory is retired.
    private let lock = Lock(())

    /// Memory: 256 bytes per shard.
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

    /// The epoch in which memory that was just unlinked is retired.
    func retire() -> UInt64 {
        lock.withLock { _ in readers.epoch.pointee.load(ordering: .relaxed) }
    }

    /// The last epoch whose retired memory can be freed; nil if there is none. First moves the epoch forward as far as the
    /// readers allow.
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

/// The readers' part of ``ReadEpochs``. It holds no counted reference: the ``ReadEpochs`` must outlive it.
@usableFromInline
package struct EpochReaders: @unchecked Sendable {
    // Unchecked because of the pointer, which leads to atomics: first the epoch, then for each shard one count
    // per parity of the epoch, each on its own cache lines.

    /// The count of the readers of one shard and parity.
    @usableFromInline package typealias Count = UnsafePointer<Atomic<UInt64>>

    fileprivate let memory: UnsafeMutableRawPointer

    /// Only increases. Stored under the lock.
    fileprivate var epoch: Count {
        // Zeroed memory is an atomic 0.
        UnsafePointer(memory.assumingMemoryBound(to: Atomic<UInt64>.self))
    }

    /// Starts a read. Cost: one atomic addition, on a cache line that threads rarely share.
    @usableFromInline
    package func enter() -> Count {
        while true {
            let now = epoch.pointee.load(ordering: .sequentiallyConsistent)
            let count = count(parity: now & 1, Shards.own)
            let before = count.pointee.wrappingAdd(1, ordering: .sequentiallyConsistent).oldValue
            if epoch.pointee.load(ordering: .sequentiallyConsistent) == now {
                // Another reader uses this shard: move this thread to another one.
                if before != 0 { Shards.moveOn() }
                return count
            }
            Self.leave(count)
        }
    }

    /// Ends a read. Pointers that were loaded during the read must not be used afterwards.
    ///
    /// This is a read-modify-write operation, so the compiler cannot move the retain of a found object after it.
    @inlinable
    @inline(__always)
    package static func leave(_ count: Count) {
        count.pointee.wrappingSubtract(1, ordering: .acquiringAndReleasing)
    }

    /// Whether there are readers of an epoch with this parity.
    fileprivate func areCounted(parity: UInt64) -> Bool {
        (0..<Shards.count).contains {
            count(parity: parity, $0).pointee.load(ordering: .sequentiallyConsistent) != 0
        }
    }

    @inline(__always)
    private func count(parity: UInt64, _ shard: Int) -> Count {
        let line = 1 &+ Int(truncatingIfNeeded: parity) &+ 2 &* shard
        return UnsafePointer((memory + line &* Shards.alignment).assumingMemoryBound(to: Atomic<UInt64>.self))
    }
}
