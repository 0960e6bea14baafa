// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A total that only grows, in whole steps: requests, errors, bytes.
///
/// The total is exact on the page. (Prometheus keeps it as a `Double`, which is exact up to 2^53.) It is kept modulo
/// 2^64: at a thousand million increments a second it starts again from 0 after 584 years, which Prometheus takes for
/// the restart of a process.
public final class Counter: Instrument, @unchecked Sendable {
    /// Relaxed: a total orders nothing else in the program.
    @usableFromInline let total = Atomic<UInt64>(0)

    /// Adds `amount`. Cost: one relaxed atomic addition.
    @inlinable
    public func increment(by amount: UInt64 = 1) {
        total.wrappingAdd(amount, ordering: .relaxed)
    }

    /// The total so far.
    public var value: UInt64 {
        total.load(ordering: .relaxed)
    }
}
