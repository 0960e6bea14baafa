// SPDX-License-Identifier: Apache-2.0

public import Synchronization

/// A total that only grows, in steps of any size: seconds, joules, fractions of a budget.
///
/// An increment that is negative, infinite or not a number is refused: the total stays as it is, and
/// ``Registry/refusedIncrements`` counts the refusal.
public final class FloatCounter: Instrument, @unchecked Sendable {
    /// The total's bit pattern. Relaxed: a total orders nothing else in the program.
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

    /// Starts again from 0, as `Counter.reset()` does.
    package func reset() {
        total.store(0, ordering: .relaxed)
    }

    /// The total so far.
    public var value: Double {
        Double(bitPattern: total.load(ordering: .relaxed))
    }
}

/// How many inputs the instruments of one registry have refused.
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
