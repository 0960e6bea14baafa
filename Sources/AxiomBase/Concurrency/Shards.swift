// SPDX-License-Identifier: Apache-2.0

public import CAxiomSupport

/// How many shards a contended total or instrument has, and which of them the current thread uses.
@usableFromInline
package enum Shards {
    /// A power of two from 4 to 64, and at least twice the number of processors: threads that run at the same time
    /// rarely share a shard.
    package static var count: Int { Int(axiom_shard_count()) }

    /// Each shard starts on its own pair of cache lines, because processors prefetch the second line of a pair.
    @inlinable
    @inline(__always)
    package static var alignment: Int { 128 }

    /// The index of the current thread's shard, below ``count``.
    @inlinable
    @inline(__always)
    package static var own: Int {
        Int(axiom_shard())
    }

    /// ``own`` plus 1; 0 if the current thread has no shard yet.
    ///
    /// It calls no function. A function that reads it therefore need not save registers before an atomic operation,
    /// which would wait until they are written to memory.
    @inlinable
    @inline(__always)
    package static var ownPlusOne: Int {
        Int(axiom_shard_plus_one())
    }

    /// Assigns the current thread another shard, for all instruments, after it met another thread in its shard.
    package static func moveOn() {
        _ = axiom_shard_advance()
    }
}
