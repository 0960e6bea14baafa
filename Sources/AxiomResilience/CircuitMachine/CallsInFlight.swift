// SPDX-License-Identifier: Apache-2.0

/// The calls in flight that are not slow yet, by the instant of their admission, so that the breaker knows that a call is
/// slow before it ends. Memory: one ``InstantRing`` for the slow-call duration, for any number of calls.
///
/// With more than 1,000 different instants, a call may be found slow in flight up to 1/512 of the slow-call duration too
/// late. At its end, its own duration decides.
struct InFlightCalls: ~Copyable, Sendable {
    private var ring: InstantRing
    /// 0 if no call is slow.
    private var slow: Int64
    /// Lower slots were assigned before the last `removeAll`.
    private var base = 0

    init(slow: Int64) {
        self.slow = slow
        ring = InstantRing(span: slow)
    }

    @inline(__always)
    var isEmpty: Bool { ring.isEmpty }
    var entryCount: Int { ring.count }

    /// Adds a call. Returns its slot; -1 if no call is slow.
    @inline(__always)
    mutating func admit(at now: Int64) -> Int {
        slow == 0 ? -1 : ring.add(InstantRing.Entry([], at: now))
    }

    /// Removes the calls that have become slow, and returns their number.
    @inline(__always)
    mutating func removeSlow(at now: Int64) -> Int {
        var count = 0
        while !ring.isEmpty, now &- ring.first.latest >= slow {
            count &+= Int(ring.first.calls)
            ring.removeFirst()
        }
        return count
    }

    /// Removes a call that has ended. Returns whether it was already removed as slow.
    @inline(__always)
    mutating func settle(_ slot: Int) -> Bool {
        guard slot >= base else { return false }
        if slot < ring.head { return true }
        ring.settleOne(slot)
        return false
    }

    /// Removes all calls, because none of them can decide anything any more.
    mutating func removeAll() {
        ring.removeAll()
        base = ring.tail
    }

    /// Keeps the calls for another slow-call duration. If it is 0, removes them.
    mutating func setSlow(_ slow: Int64) {
        self.slow = slow
        ring.setSpan(slow)
        if slow == 0 { removeAll() }
    }
}

/// The probes of one half-open phase: those in flight, which hold a permit, and the results of the others.
struct ProbeRound: Equatable, Sendable {
    private struct Probe: Equatable {
        let id: Int
        let start: Int64
    }

    /// In the order of admission. At most as many as there are permits.
    private var outstanding: [Probe] = []
    private var nextID = 0
    var passed = 0
    /// Probes that failed or exceeded their time limit.
    var failed = 0
    /// Slow probes, passed and failed.
    var slow = 0

    /// Permits that are in use or have been used.
    var taken: Int { outstanding.count + passed + failed }
    var inUse: Int { outstanding.count }
    /// When the oldest probe in flight was admitted.
    var oldest: Int64? { outstanding.first?.start }

    mutating func admit(at now: Int64) -> Int {
        nextID += 1
        outstanding.append(Probe(id: nextID, start: now))
        return nextID
    }

    /// Returns a probe's permit.
    ///
    /// - Returns: Whether the probe still had it.
    mutating func settle(_ id: Int) -> Bool {
        guard let index = outstanding.firstIndex(where: { $0.id == id }) else { return false }
        outstanding.remove(at: index)
        return true
    }

    mutating func expireOldest(isSlow: Bool) {
        outstanding.removeFirst()
        failed += 1
        if isSlow { slow += 1 }
    }

    /// How many probes have been in flight for `duration` or longer; 0 if `duration` is 0.
    func overdue(_ duration: Int64, at now: Int64) -> Int {
        duration == 0 ? 0 : outstanding.count { now &- $0.start >= duration }
    }
}
