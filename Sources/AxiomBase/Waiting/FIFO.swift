// SPDX-License-Identifier: Apache-2.0

/// A first-in, first-out queue of what waits, each with a deadline. An element in the middle can be removed by its ticket.
///
/// Tickets ascend, so an entry is found by binary search. A removed entry leaves a gap. The queue is compacted when more
/// than half of its entries are gaps, so that every operation costs O(log n) on average, and the memory is proportional
/// to the number of elements.
package struct FIFO<Element: Sendable>: Sendable {
    private struct Entry: Sendable {
        let ticket: UInt64
        /// Nil for no limit.
        let deadline: Instant?
        /// Nil for a gap.
        var element: Element?
    }

    private var entries: [Entry] = []
    /// The index of the first entry; those before it were taken.
    private var head = 0
    private var lastTicket: UInt64 = 0
    /// The number of elements.
    package private(set) var count = 0

    package init() {}

    /// The memory in use, in entries.
    package var capacityInUse: Int { entries.count }

    /// Adds an element.
    ///
    /// - Parameter deadline: Until when it waits; nil for no limit. The queue only keeps it.
    /// - Returns: Its ticket.
    package mutating func append(_ element: Element, deadline: Instant? = nil) -> UInt64 {
        lastTicket += 1
        entries.append(Entry(ticket: lastTicket, deadline: deadline, element: element))
        count += 1
        return lastTicket
    }

    /// Removes the oldest element; nil if there is none.
    package mutating func popFirst() -> (element: Element, deadline: Instant?)? {
        while head < entries.count {
            let entry = entries[head]
            entries[head].element = nil
            head += 1
            guard let element = entry.element else { continue }
            count -= 1
            compact()
            return (element, entry.deadline)
        }
        return nil
    }

    /// Removes the newest element; nil if there is none.
    package mutating func popLast() -> Element? {
        while head < entries.count, let entry = entries.popLast() {
            guard let element = entry.element else { continue }
            count -= 1
            compact()
            return element
        }
        return nil
    }

    /// Removes an element and returns it; nil if it is not in the queue any more.
    package mutating func remove(_ ticket: UInt64) -> Element? {
        guard let index = index(of: ticket), let element = entries[index].element else { return nil }
        entries[index].element = nil
        count -= 1
        compact()
        return element
    }

    /// All elements, in their order.
    package var elements: [Element] { entries[head...].compactMap(\.element) }

    /// Removes all elements, in their order.
    package mutating func removeAll() -> [Element] {
        let elements = elements
        (entries, head, count) = ([], 0, 0)
        return elements
    }

    private func index(of ticket: UInt64) -> Int? {
        var (low, high) = (head, entries.count)
        while low < high {
            let middle = low + (high - low) / 2
            if entries[middle].ticket < ticket { low = middle + 1 } else { high = middle }
        }
        return low < entries.count && entries[low].ticket == ticket ? low : nil
    }

    private mutating func compact() {
        guard entries.count > 2 * count else { return }
        if count == 0 {
            entries.removeAll(keepingCapacity: entries.capacity <= 64)
        } else {
            // A new array, so that the memory of a burst is given back.
            entries = entries.filter { $0.element != nil }
        }
        head = 0
    }
}

/// What waits for one consumer at a time, in the order of arrival, up to a limit. A pure value: its owner guards it, and
/// runs the consumer.
package struct BoundedQueue<Element> {
    private let capacity: Int
    private var waiting: [Element] = []
    /// Whether a consumer takes elements. It ends when the queue is empty.
    package private(set) var isDelivering = false
    /// How many elements were dropped because the queue was full.
    package private(set) var dropped = 0

    /// Makes an empty queue for at most `capacity` elements.
    package init(capacity: Int) { self.capacity = capacity }

    /// Adds an element. If the queue is full, drops and counts it. Returns whether the element was added.
    @discardableResult
    package mutating func append(_ element: Element) -> Bool {
        guard waiting.count < capacity else {
            dropped += 1
            return false
        }
        waiting.append(element)
        return true
    }

    /// Whether the caller has to run a consumer, because something waits and there is none. It calls ``next()`` until that
    /// returns nil.
    package mutating func begin() -> Bool {
        guard !isDelivering, !waiting.isEmpty else { return false }
        isDelivering = true
        return true
    }

    /// The next element for the consumer; nil if there is none, which ends the consumer.
    package mutating func next() -> Element? {
        guard waiting.isEmpty else { return waiting.removeFirst() }
        isDelivering = false
        return nil
    }
}

extension BoundedQueue: Sendable where Element: Sendable {}
