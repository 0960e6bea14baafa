// SPDX-License-Identifier: Apache-2.0

public import AxiomBase
public import Synchronization

/// A total that only grows, in whole numbers: requests, errors, bytes.
///
/// The page shows the exact total. (Prometheus stores it as a `Double`, which is exact up to 2^53.) The total is kept
/// modulo 2^64: at 10^9 increments per second it wraps after 584 years, which Prometheus treats as a process restart.
public final class Counter: Instrument, @unchecked Sendable {
    @usableFromInline let total = ShardedTotal()

    /// Adds `amount`. Cost: one relaxed atomic addition.
    @inlinable
    public func increment(by amount: UInt64 = 1) {
        total.add(amount)
    }

    /// Adds `amount`. A negative amount is refused: the total does not change, and ``Registry/refusedIncrements`` counts
    /// the refusal. Cost: as ``increment(by:)``.
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

    /// The total at the last reset. A reader loads it (acquiring) before the total, so it cannot be larger than the total:
    /// the total only grows, and the reset read it before it stored the baseline (releasing).
    private let baseline = Atomic<UInt64>(0)

    /// The total so far.
    public var value: UInt64 {
        let start = baseline.load(ordering: .acquiring)
        return total.value &- start
    }

    /// Resets the counter to 0, for libraries with resettable counters. Prometheus treats it as a process restart.
    /// Concurrent increments count before or after the reset; none is lost.
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

    /// Whether contention was found.
    var isSharded: Bool { total.isSharded }
}

/// A total that only grows, in floating-point numbers: seconds, joules, fractions of a budget.
///
/// A negative, infinite or NaN increment is refused: the total does not change, and ``Registry/refusedIncrements`` counts
/// the refusal.
public final class FloatCounter: Instrument, @unchecked Sendable {
    /// The total's bit pattern. Relaxed: the total orders no other memory access.
    @usableFromInline let total = Atomic<UInt64>(0)

    /// Adds `amount`, which must be finite and not negative. Cost: one atomic load and one compare-and-exchange.
    @inlinable
    public func increment(by amount: Double) {
        guard amount >= 0, amount < .infinity else { return refuse() }
        total.add(amount)
    }

    @usableFromInline
    @inline(never)
    func refuse() {
        context.refusedIncrements.add()
    }

    /// Resets the counter to 0, as `Counter.reset()` does.
    package func reset() {
        total.store(0, ordering: .relaxed)
    }

    /// The total so far.
    public var value: Double { Double(bitPattern: total.load(ordering: .relaxed)) }
}

/// Counts refused inputs or look-ups.
final class RefusalCount: Sendable {
    private let count = Atomic<UInt64>(0)

    var value: UInt64 { count.load(ordering: .relaxed) }

    func add() {
        count.wrappingAdd(1, ordering: .relaxed)
    }
}

extension Atomic where Value == UInt64 {
    /// Adds to the `Double` whose bit pattern this atomic holds.
    @inlinable
    func add(_ amount: Double) {
        var old = load(ordering: .relaxed)
        while true {
            let new = (Double(bitPattern: old) + amount).bitPattern
            let (exchanged, found) = weakCompareExchange(expected: old, desired: new, ordering: .relaxed)
            if exchanged { return }
            old = found
        }
    }
}
