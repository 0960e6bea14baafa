// SPDX-License-Identifier: Apache-2.0

/// A total that stands in no family: what a collector reads, or what others are derived from.
///
/// Contention-proof as a ``Counter`` is; half as large.
package final class Tally: Sendable {
    @usableFromInline let total = ShardedTotal()

    package init() {}

    /// Adds 1. Cost: one relaxed atomic addition.
    @inlinable
    @inline(__always)
    package func increment() {
        total.add(1)
    }

    /// The total so far, modulo 2^64.
    package var value: UInt64 { total.value }
}
