// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The slots and the queue of a ``Bulkhead``: a state machine without lock and clock.
///
/// Invariant after every transition: calls wait only while no slot is free. A new call therefore either gets a slot or
/// goes to the end of the queue of its priority. Slots are assigned by priority, and within one in the order of arrival.
struct BulkheadMachine: Sendable {
    enum Entry {
        case admitted
        /// `displaced` was in the queue and has left it for this call.
        case queued(BulkheadWaiter, ticket: UInt64, displaced: BulkheadWaiter?)
        case full
    }

    /// Waiters that have left the queue. The caller resumes them after it has released the lock.
    struct Released {
        var admitted: [BulkheadWaiter] = []
        var late: [BulkheadWaiter] = []
    }

    private let queueLimit: Int
    /// One for each priority, by its raw value. Together they hold `counts.queueDepth` waiters.
    private var queues = BulkheadPriority.allCases.map { _ in FIFO<BulkheadWaiter>() }
    private(set) var counts: BulkheadCounts

    init(limit: Int, queueLimit: Int) {
        self.queueLimit = queueLimit
        counts = BulkheadCounts(limit: limit)
    }

    /// A call begins. `waiter` creates its queue entry, if it needs one.
    mutating func enter(_ priority: BulkheadPriority, waiter: () -> BulkheadWaiter) -> Entry {
        counts.offered += 1
        if counts.inUse < counts.limit {
            admit()
            return .admitted
        }
        let displaced = counts.queueDepth < queueLimit ? nil : displace(below: priority)
        guard counts.queueDepth < queueLimit else {
            counts.rejectedFull += 1
            return .full
        }
        let waiter = waiter()
        let ticket = queues[priority.rawValue].append(waiter, deadline: waiter.deadline)
        counts.queueDepth += 1
        return .queued(waiter, ticket: ticket, displaced: displaced)
    }

    /// A call ends. Admits waiters while slots are free. A waiter whose deadline has passed by the clock is not admitted,
    /// even if its timer has not fired yet. `now` is called only if a waiter has a deadline.
    mutating func leave(now: () -> Instant) -> Released {
        counts.inUse -= 1
        counts.finished += 1
        var released = Released()
        while counts.inUse < counts.limit, let (waiter, deadline) = popFirst() {
            if let deadline, deadline <= now() {
                counts.rejectedLate += 1
                released.late.append(waiter)
            } else {
                admit()
                released.admitted.append(waiter)
            }
        }
        return released
    }

    /// The queue timeout of a waiter expires. Returns whether it was still in the queue, and has to be resumed.
    mutating func expire(_ waiter: BulkheadWaiter, _ ticket: UInt64) -> Bool {
        guard remove(waiter, ticket) else { return false }
        counts.rejectedLate += 1
        return true
    }

    /// The task of a waiter is cancelled. Returns whether it was still in the queue, and has to be resumed.
    mutating func cancel(_ waiter: BulkheadWaiter, _ ticket: UInt64) -> Bool {
        guard remove(waiter, ticket) else { return false }
        counts.cancelled += 1
        return true
    }

    /// Removes the first waiter of the highest priority.
    private mutating func popFirst() -> (BulkheadWaiter, deadline: Instant?)? {
        guard counts.queueDepth > 0 else { return nil }
        for index in queues.indices.reversed() {
            guard let first = queues[index].popFirst() else { continue }
            counts.queueDepth -= 1
            return first
        }
        return nil
    }

    /// Removes the latest waiter of the lowest priority, if that is lower than `priority`.
    private mutating func displace(below priority: BulkheadPriority) -> BulkheadWaiter? {
        for index in 0..<priority.rawValue {
            guard let last = queues[index].popLast() else { continue }
            counts.queueDepth -= 1
            counts.rejectedFull += 1
            return last
        }
        return nil
    }

    private mutating func remove(_ waiter: BulkheadWaiter, _ ticket: UInt64) -> Bool {
        guard queues[waiter.priority.rawValue].remove(ticket) != nil else { return false }
        counts.queueDepth -= 1
        return true
    }

    private mutating func admit() {
        counts.inUse += 1
        counts.admitted += 1
    }
}

/// A call in the queue of a ``Bulkhead``.
final class BulkheadWaiter: Sendable {
    enum Verdict {
        case admitted
        case late
        case displaced
        case cancelled
    }

    let priority: BulkheadPriority
    /// Nil for no limit.
    let deadline: Instant?
    /// Set by the thread that has removed the waiter from the queue, after the removal.
    let verdict = OneShot<Verdict>()

    init(priority: BulkheadPriority, deadline: Instant?) {
        self.priority = priority
        self.deadline = deadline
    }
}
