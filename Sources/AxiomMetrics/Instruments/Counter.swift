// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

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

    /// Adds `amount`, which must not be negative: a negative one is refused, as by ``FloatCounter``. The total stays as it
    /// is, and ``Registry/refusedIncrements`` counts the refusal. Cost: as ``increment(by:)``.
    @_disfavoredOverload
    @inlinable
    public func increment(by amount: Int) {
        guard amount >= 0 else { return refuse() }
        total.add(UInt64(amount))
    }

    @usableFromInline
    @inline(never)
    func refuse() {
        context.refusedIncrements.add()
    }

    /// What the total was when the counter was last reset. Acquired before the total is read, so that it cannot be
    /// more than that: the total, which only grows, was read before this was released.
    private let baseline = Atomic<UInt64>(0)

    /// The total so far.
    public var value: UInt64 {
        let start = baseline.load(ordering: .acquiring)
        return total.value &- start
    }

    /// Starts again from 0, for what can be reset in the libraries that record into this one; Prometheus takes it for
    /// the restart of a process. What other threads add meanwhile is counted before or after it, not lost.
    package func reset() {
        var start = baseline.load(ordering: .acquiring)
        while true {
            let (exchanged, found) = baseline.compareExchange(
                expected: start,
                desired: total.value,
                ordering: .acquiringAndReleasing
            )
            if exchanged { return }
            start = found
        }
    }

    /// Whether threads were found to contend for it.
    var isSharded: Bool { total.isSharded }
}
