// SPDX-License-Identifier: Apache-2.0

/// The calls in flight that are not slow yet, by the instant at which they were admitted, so that a call is known to be
/// slow before it ends. Memory is that of an ``InstantRing`` over the slow duration, however many calls there are.
///
/// Beyond 1,000 instants a call may be found slow in flight by 1/512 of the slow duration too late; when it ends, its
/// own duration decides.
struct InFlightCalls: ~Copyable, Sendable {
    private var ring: InstantRing
    /// 0 where no call is slow.
    private var slow: Int64
    /// Tickets with lower slots were given before the calls were last forgotten.
    private var base = 0

    init(slow: Int64) {
        self.slow = slow
        ring = InstantRing(span: slow)
    }

    @inline(__always)
    var isEmpty: Bool { ring.isEmpty }
    var entryCount: Int { ring.count }

    /// Takes a call in.
    ///
    /// - Returns: Its slot; -1 where no call is slow.
    @inline(__always)
    mutating func admit(at now: Int64) -> Int {
        slow == 0 ? -1 : ring.add(InstantRing.Entry([], at: now))
    }

    /// Lets go of the calls that have become slow, and counts them.
    @inline(__always)
    mutating func takeSlow(at now: Int64) -> Int {
        var count = 0
        while !ring.isEmpty, now &- ring.first.latest >= slow {
            count &+= Int(ring.first.calls)
            ring.removeFirst()
        }
        return count
    }

    /// Lets go of a call that ended.
    ///
    /// - Returns: Whether it was counted as slow while in flight.
    @inline(__always)
    mutating func settle(_ slot: Int) -> Bool {
        guard slot >= base else { return false }
        if slot < ring.head { return true }
        ring.settleOne(slot)
        return false
    }

    /// Forgets all calls, as none of them can decide any more.
    mutating func removeAll() {
        ring.removeAll()
        base = ring.tail
    }

    /// Keeps the calls for another slow duration; none where no call is slow from now on.
    mutating func setSlow(_ slow: Int64) {
        self.slow = slow
        ring.setSpan(slow)
        if slow == 0 { removeAll() }
    }
}
