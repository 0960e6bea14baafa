// SPDX-License-Identifier: Apache-2.0

/// A queue in a circular array. It takes constant time at both ends, and allocates nothing once it has grown. An
/// element that was taken is released at once.
struct Ring<Element> {
    /// Element `i` of the queue is in slot `(head + i)` modulo the capacity, which is 0 or a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }

    mutating func append(_ element: Element) {
        if count == slots.count { grow() }
        slots[slot(count)] = element
        count += 1
    }

    mutating func popFirst() -> Element? {
        guard count > 0 else { return nil }
        let first = slots[head].take()
        head = slot(1)
        count -= 1
        return first
    }

    mutating func popLast() -> Element? {
        guard count > 0 else { return nil }
        count -= 1
        return slots[slot(count)].take()
    }

    mutating func removeAll() {
        self = Ring()
    }

    private func slot(_ offset: Int) -> Int {
        (head + offset) & (slots.count - 1)
    }

    private mutating func grow() {
        var larger: [Element?] = []
        let capacity = Swift.max(4, slots.count * 2)
        larger.reserveCapacity(capacity)
        for offset in 0..<count { larger.append(slots[slot(offset)]) }
        larger.append(contentsOf: repeatElement(nil, count: capacity - count))
        slots = larger
        head = 0
    }
}

extension Ring: Sendable where Element: Sendable {}
