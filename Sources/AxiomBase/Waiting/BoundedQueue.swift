// SPDX-License-Identifier: Apache-2.0

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
    package init(capacity: Int) {
        self.capacity = capacity
    }

    /// Adds an element. If the queue is full, drops and counts it.
    ///
    /// - Returns: Whether the element was added.
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
