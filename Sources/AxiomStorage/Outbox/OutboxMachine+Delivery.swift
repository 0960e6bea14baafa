// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import DequeModule
internal import Foundation
internal import HeapModule

// Which change is sent next. At most one change of a key is being sent.
extension OutboxMachine {
    /// The longest wait before a change is sent again. A later stored time is ignored.
    static let longestWait = Duration.seconds(3_600)
    /// The highest age of a stored change. A higher stored age is reduced to it.
    static let highestAge = Duration.seconds(10 * 365 * 86_400)

    /// Takes the change to send next: of the keys that are free, the one whose first change is due earliest.
    ///
    /// - Returns: Nil if none is due. What is taken ends with a step or with ``release(_:until:)``.
    mutating func take(at moment: Moment) -> PendingChange? {
        guard let next = firstReady(), next.due <= moment.now, let key = entries[next.number]?.change.key else {
            return nil
        }
        removeFirstDue()
        entries[next.number]?.phase = .sending
        queues[key]?.sending = next.number
        return entries[next.number]?.change(at: moment)
    }

    /// When the next change is due; nil if none waits to be sent.
    mutating func nextDue() -> Instant? { firstReady()?.due }

    /// Puts back a change that was taken. The storage does not change.
    ///
    /// - Parameter instant: When it is due; nil to leave that as it is.
    mutating func release(_ id: UUID, until instant: Instant?) {
        guard let entry = entry(id), entry.phase == .sending else { return }
        entries[entry.number]?.phase = .pending
        entries[entry.number]?.isChanging = false
        if let instant { entries[entry.number]?.due = instant }
        queues[entry.change.key]?.sending = nil
        offerHead(of: entry.change.key)
    }

    /// Ends the waits of all changes.
    mutating func hasten() {
        for (number, entry) in entries where entry.phase == .pending { entries[number]?.due = entry.since }
        due = Heap()
        for key in queues.keys {
            queues[key]?.offered = nil
            offerHead(of: key)
        }
    }

    private mutating func firstReady() -> DueChange? {
        while let first = due.min {
            if isReady(first) { return first }
            removeFirstDue()
        }
        return nil
    }

    private mutating func removeFirstDue() {
        if let first = due.min, let key = entries[first.number]?.change.key, queues[key]?.offered == first {
            queues[key]?.offered = nil
        }
        _ = due.popMin()
    }

    private func isReady(_ element: DueChange) -> Bool {
        guard let entry = entries[element.number], entry.phase == .pending, !entry.isChanging,
            let queue = queues[entry.change.key]
        else { return false }
        return entry.due == element.due && queue.sending == nil && queue.numbers.first == element.number
    }

    /// Adds a change to the queue of its key.
    mutating func enqueue(_ number: UInt64) {
        guard let key = entries[number]?.change.key else { return }
        queues[key, default: KeyQueue()].numbers.insert(ascending: number)
        offerHead(of: key)
    }

    mutating func dequeue(_ number: UInt64, _ key: String) {
        guard var queue = queues[key] else { return }
        // In place: a copy would make each removal linear.
        queues[key] = nil
        queue.numbers.remove(number)
        if queue.sending == number { queue.sending = nil }
        if !queue.numbers.isEmpty || queue.sending != nil { queues[key] = queue }
    }

    /// Makes the first change of a key available if it can be sent.
    mutating func offerHead(of key: String) {
        guard let queue = queues[key], queue.sending == nil, let number = queue.numbers.first,
            let entry = entries[number], entry.phase == .pending, !entry.isChanging
        else { return }
        let element = DueChange(due: entry.due, number: number)
        guard queue.offered != element else { return }
        queues[key]?.offered = element
        due.insert(element)
    }
}

extension OutboxMachine.Entry {
    /// The change, with the time of its first failure as the wall clock has it now.
    func change(at moment: Moment) -> PendingChange {
        var change = change
        let since = failing.map { moment.wall($0) }
        // Less is the error of two readings.
        if let since, ((change.failingSince ?? -.infinity) - since).magnitude > 1 { change.failingSince = since }
        return change
    }
}

/// A change that may be sent next. The earliest due comes first, and of those the one that was appended first.
struct DueChange: Sendable, Hashable, Comparable {
    var due: Instant
    var number: UInt64

    static func < (left: Self, right: Self) -> Bool {
        (left.due, left.number) < (right.due, right.number)
    }
}

/// Numbers in ascending order, from which mostly the first is removed.
extension Deque<UInt64> {
    /// Inserts a number that is not there.
    mutating func insert(ascending number: UInt64) {
        guard let last, number < last else { return append(number) }
        insert(number, at: firstIndex { $0 > number } ?? endIndex)
    }

    mutating func remove(_ number: UInt64) {
        if first == number {
            removeFirst()
        } else if let index = firstIndex(of: number) {
            remove(at: index)
        }
    }
}
