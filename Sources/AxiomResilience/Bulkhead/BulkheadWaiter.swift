// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A call that waits for a place in a ``Bulkhead``: a link of its queue.
final class BulkheadWaiter: Sendable {
    enum Verdict {
        case admitted
        case late
        case cancelled
    }

    /// Nil for a wait without end.
    let deadline: Instant?
    /// Settled by the one who takes the waiter out of the queue, after that.
    let verdict = OneShot<Verdict>()

    /// Guarded by the bulkhead's lock, as the links are.
    nonisolated(unsafe) fileprivate(set) var isQueued = false
    nonisolated(unsafe) fileprivate var next: BulkheadWaiter?
    nonisolated(unsafe) fileprivate weak var previous: BulkheadWaiter?

    init(deadline: Instant?) {
        self.deadline = deadline
    }
}

/// First in, first out, and out of the middle in O(1). A link owns the one after it.
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
