// SPDX-License-Identifier: Apache-2.0

/// A total that only grows, in whole steps: requests, errors, bytes.
///
/// The total is exact on the page. (Prometheus keeps it as a `Double`, which is exact up to 2^53.) It is kept modulo
/// 2^64: at a thousand million increments a second it starts again from 0 after 584 years, which Prometheus takes for
/// the restart of a process.
public final class Counter: Instrument, @unchecked Sendable {
    @usableFromInline let total = ShardedTotal()

    /// Adds `amount`. Cost: one relaxed atomic addition.
    @inlinable
    public func increment(by amount: UInt64 = 1) {
        total.add(amount)
    }

    /// The total so far.
    public var value: UInt64 { total.value }

    /// Whether threads were found to contend for it.
    var isSharded: Bool { total.isSharded }
}
