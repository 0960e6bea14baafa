// SPDX-License-Identifier: Apache-2.0

/// One slot for each of the latest steps of time, in a ring: for rates and totals over a moving window.
///
/// Time is divided into steps of equal length from an origin. A time before the newest step counts as the newest step,
/// because callers read the clock before they take the lock that guards the window. Nothing is allocated before the first
/// slot is changed. From then on the ring grows by a slot for each step until it has all of them.
@usableFromInline
package struct RollingWindow<Slot> {
    /// The length of a step in nanoseconds, at least 1.
    @usableFromInline let step: Int64
    /// Where step 0 starts.
    @usableFromInline let origin: Int64
    /// The number of steps in the window.
    @usableFromInline package let capacity: Int
    /// The value of a step in which nothing happened.
    @usableFromInline let empty: Slot
    /// By the distance to `first`, modulo `capacity`; covers the steps up to `newest`. Empty until a slot is changed, and
    /// with less than `capacity` slots until so many steps have passed.
    @usableFromInline var slots: [Slot] = []
    /// The number of the step whose slot was changed first.
    @usableFromInline var first: Int64 = 0
    /// The number of the newest step in `slots`.
    @usableFromInline var newest: Int64

    /// Makes a window of empty slots.
    ///
    /// - Parameters:
    ///   - capacity: The number of steps; values below 1 count as 1.
    ///   - empty: The value of a step in which nothing happened.
    ///   - origin: A time at which a step starts.
    @inlinable
    package init(
        step: Duration,
        capacity: Int,
        empty: Slot,
        origin: Instant = Instant(nanoseconds: 0),
        at time: Instant
    ) {
        self.step = max(1, step.clampedNanoseconds)
        self.origin = origin.nanoseconds
        self.capacity = max(1, capacity)
        self.empty = empty
        newest = 0
        newest = number(of: time)
    }

    /// The slot of the newest step.
    @inlinable
    package var current: Slot {
        get { slots.isEmpty ? empty : slots[index(of: newest)] }
        _modify {
            if slots.isEmpty { (slots, first) = ([empty], newest) }
            yield &slots[index(of: newest)]
        }
    }

    /// Makes the step of `time` the newest one and clears the steps since the last call.
    @inlinable
    package mutating func advance(to time: Instant) {
        let number = number(of: time)
        guard number > newest else { return }
        if !slots.isEmpty {
            // The difference overflows only if the steps are nanoseconds and lie centuries apart.
            let (passed, overflow) = number.subtractingReportingOverflow(newest)
            for offset in 1...min(overflow ? .max : passed, Int64(capacity)) {
                if slots.count == capacity { slots[index(of: newest &+ offset)] = empty } else { grow() }
            }
        }
        newest = number
    }

    /// Adds the slot of the next step. Leaves no room beyond the last one.
    @inlinable
    mutating func grow() {
        if slots.count == slots.capacity { slots.reserveCapacity(min(capacity, 2 * slots.count)) }
        slots.append(empty)
    }

    /// Calls `body` with the slots of the last `count` steps up to the one of `time`, the oldest first. Steps after the
    /// newest one are empty and are left out.
    @inlinable
    package func forEach(inLast count: Int, at time: Instant, _ body: (Slot) -> Void) {
        guard !slots.isEmpty else { return }
        let end = max(number(of: time), newest)
        let count = Int64(max(1, min(capacity, count)))
        let (oldest, overflow) = max(end &- count, newest &- Int64(capacity)).addingReportingOverflow(1)
        guard !overflow, oldest <= newest else { return }
        for number in oldest...newest {
            body(slots.count < capacity && number < first ? empty : slots[index(of: number)])
        }
    }

    /// How much of the newest step has passed at `time`, in nanoseconds: 0 if `time` is in an earlier step.
    @inlinable
    package func elapsed(at time: Instant) -> Int64 {
        guard number(of: time) >= newest else { return 0 }
        let remainder = (time.nanoseconds &- origin) % step
        return remainder < 0 ? remainder + step : remainder
    }

    /// The number of the step of `time`. Rounds down, also before the origin.
    @inlinable
    func number(of time: Instant) -> Int64 {
        let (quotient, remainder) = (time.nanoseconds &- origin).quotientAndRemainder(dividingBy: step)
        return remainder < 0 ? quotient - 1 : quotient
    }

    @inlinable
    func index(of number: Int64) -> Int {
        let remainder = Int((number &- first) % Int64(capacity))
        return remainder < 0 ? remainder + capacity : remainder
    }
}

extension RollingWindow: Sendable where Slot: Sendable {}
