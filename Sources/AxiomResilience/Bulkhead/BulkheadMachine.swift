// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The slots and the queue of a ``Bulkhead``: a state machine without lock and clock.
///
/// Invariant after every transition: calls wait only while no slot is free. A new call therefore either gets a slot or
/// goes to the end of the queue, and slots are assigned in the order of arrival.
struct BulkheadMachine: Sendable {
    enum Entry {
        case admitted(inUse: Int)
        case queued(BulkheadWaiter)
        case full(limit: Int)
    }

    /// Waiters that have left the queue. The caller resumes them after it has released the lock.
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

    /// A call begins. `waiter` creates its queue entry, if it needs one.
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

    /// A call ends. The adaptive limit uses `sample`, if any. `now` is called only if a waiter has a deadline.
    mutating func leave(_ sample: BulkheadSample?, now: () -> Instant) -> Released {
        counts.inUse -= 1
        counts.finished += 1
        if let sample, gradient != nil {
            gradient?.record(latency: sample.latency, inFlight: sample.inFlight)
            counts.limit = gradient?.limit ?? counts.limit
        }
        return fillSlots(now: now)
    }

    /// The queue timeout of a waiter expires.
    ///
    /// - Returns: Whether it was still in the queue, and has to be resumed.
    mutating func expire(_ waiter: BulkheadWaiter) -> Bool {
        guard remove(waiter) else { return false }
        counts.rejectedLate += 1
        return true
    }

    /// The task of a waiter is cancelled.
    ///
    /// - Returns: Whether it was still in the queue, and has to be resumed.
    mutating func cancel(_ waiter: BulkheadWaiter) -> Bool {
        guard remove(waiter) else { return false }
        counts.cancelled += 1
        return true
    }

    /// Admits waiters while slots are free. A waiter whose deadline has passed by the clock is not admitted, even if its
    /// timer has not fired yet.
    private mutating func fillSlots(now: () -> Instant) -> Released {
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

/// The measurement of one call, for an adaptive limit.
struct BulkheadSample {
    let latency: Duration
    let inFlight: Int
}

/// A call in the queue of a ``Bulkhead``.
final class BulkheadWaiter: Sendable {
    enum Verdict {
        case admitted
        case late
        case cancelled
    }

    /// Nil for no limit.
    let deadline: Instant?
    /// Set by the thread that has removed the waiter from the queue, after the removal.
    let verdict = OneShot<Verdict>()

    /// Guarded by the bulkhead's lock, as are the links.
    nonisolated(unsafe) fileprivate(set) var isQueued = false
    nonisolated(unsafe) fileprivate var next: BulkheadWaiter?
    nonisolated(unsafe) fileprivate weak var previous: BulkheadWaiter?

    init(deadline: Instant?) {
        self.deadline = deadline
    }
}

/// A doubly linked first-in, first-out queue. Removal from the middle takes constant time. Each entry owns the next one.
struct BulkheadQueue: Sendable {
    private(set) var first: BulkheadWaiter?
    private weak var last: BulkheadWaiter?
    private(set) var count = 0

    mutating func append(_ waiter: BulkheadWaiter) {
        waiter.isQueued = true
        waiter.previous = last
        if let last { last.next = waiter } else { first = waiter }
        last = waiter
        count += 1
    }

    /// - Returns: Whether the waiter was in the queue.
    mutating func remove(_ waiter: BulkheadWaiter) -> Bool {
        guard waiter.isQueued else { return false }
        waiter.isQueued = false
        let (previous, next) = (waiter.previous, waiter.next)
        (waiter.previous, waiter.next) = (nil, nil)
        if let previous { previous.next = next } else { first = next }
        if let next { next.previous = previous } else { last = previous }
        count -= 1
        return true
    }
}
