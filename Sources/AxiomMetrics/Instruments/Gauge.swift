// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A value that goes up and down: a temperature, the length of a queue, the number of requests in flight. Any `Double` is
/// allowed, including infinities and NaN.
public final class Gauge: Instrument, @unchecked Sendable {
    /// The value's bit pattern. Relaxed: the gauge orders no other memory access.
    @usableFromInline let bits = Atomic<UInt64>(0)

    /// Replaces the value. Cost: one relaxed store.
    @inlinable
    public func set(_ value: Double) {
        bits.store(value.bitPattern, ordering: .relaxed)
    }

    /// Adds `amount` to the value. Cost: one atomic load and one compare-and-exchange.
    @inlinable
    public func add(_ amount: Double) {
        bits.add(amount)
    }

    /// Subtracts `amount` from the value. Cost: as ``add(_:)``.
    @inlinable
    public func subtract(_ amount: Double) {
        bits.add(-amount)
    }

    /// Adds 1.
    @inlinable
    public func increment() {
        bits.add(1)
    }

    /// Subtracts 1.
    @inlinable
    public func decrement() {
        bits.add(-1)
    }

    /// The current value.
    public var value: Double { Double(bitPattern: bits.load(ordering: .relaxed)) }
}
