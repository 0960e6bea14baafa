// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The places of a ``Bulkhead`` and who waits for one: a state machine without lock and clock.
///
/// After every transition somebody waits only where no place is free: whoever comes finds a place or stands last, and
/// is let in in the order of coming.
struct BulkheadMachine: Sendable {
    enum Entry {
        case admitted(inUse: Int)
        case queued(BulkheadWaiter)
        case full(limit: Int)
    }

    /// Waiters taken out of the queue, to be told when the lock is released.
    struct Released {
        var admitted: [BulkheadWaiter] = []
        var late: [BulkheadWaiter] = []
    }

    private let queueLimit: Int
    private var gradient: GradientLimit?
    private var queue = BulkheadQueue()
    private(set) var counts: BulkheadCounts

    init(limit: Int, gradient: GradientLimit?, queueLimit: Int) {
        self.queueLimit = queueLimit
        self.gradient = gradient
        counts = BulkheadCounts(limit: gradient?.limit ?? limit)
    }

    var hasWaiters: Bool { queue.first != nil }

    /// A call comes. `waiter` makes its place in the queue, where it needs one.
    mutating func enter(waiter: () -> BulkheadWaiter) -> Entry {
        counts.offered += 1
        if counts.inUse < counts.limit {
            admit()
            return .admitted(inUse: counts.inUse)
        }
        guard queue.count < queueLimit else {
            counts.rejectedFull += 1
            return .full(limit: counts.limit)
        }
        let waiter = waiter()
        queue.append(waiter)
        counts.queueDepth += 1
        return .queued(waiter)
    }

    /// A call ends, and the limit learns of `sample`, where there is one. `now` is asked where deadlines decide.
    mutating func leave(_ sample: BulkheadSample?, now: () -> Instant) -> Released {
        counts.inUse -= 1
        counts.finished += 1
        if let sample, gradient != nil {
            gradient?.record(latency: sample.latency, inFlight: sample.inFlight)
            counts.limit = gradient?.limit ?? counts.limit
        }
        return fill(now: now)
    }

    /// A waiter's time is over.
    ///
    /// - Returns: Whether it was still waiting, and has to be told.
    mutating func expire(_ waiter: BulkheadWaiter) -> Bool {
        guard remove(waiter) else { return false }
        counts.rejectedLate += 1
        return true
    }

    /// A waiter's task was cancelled.
    ///
    /// - Returns: Whether it was still waiting, and has to be told.
    mutating func cancel(_ waiter: BulkheadWaiter) -> Bool {
        guard remove(waiter) else { return false }
        counts.cancelled += 1
        return true
    }

    /// Lets in as many as there are places for. One whose time is over by the clock is not, however tardy its timer.
    private mutating func fill(now: () -> Instant) -> Released {
        var released = Released()
        while counts.inUse < counts.limit, let waiter = queue.first {
            if let deadline = waiter.deadline, deadline <= now() {
                _ = expire(waiter)
                released.late.append(waiter)
            } else {
                _ = remove(waiter)
                admit()
                released.admitted.append(waiter)
            }
        }
        return released
    }

    private mutating func remove(_ waiter: BulkheadWaiter) -> Bool {
        guard queue.remove(waiter) else { return false }
        counts.queueDepth -= 1
        return true
    }

    private mutating func admit() {
        counts.inUse += 1
        counts.admitted += 1
    }
}

/// What an adaptive limit learns from one call.
struct BulkheadSample {
    let latency: Duration
    let inFlight: Int
}
