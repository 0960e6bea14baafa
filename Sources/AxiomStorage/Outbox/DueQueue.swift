// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The changes that may be sent next, the earliest due first: a binary heap.
///
/// An element is not removed when its change becomes something else. The owner checks what it takes out.
struct DueQueue: Sendable {
    struct Element: Sendable, Hashable, Comparable {
        var due: Instant
        var number: UInt64

        static func < (left: Element, right: Element) -> Bool {
            (left.due, left.number) < (right.due, right.number)
        }
    }

    private var heap: [Element] = []

    var first: Element? { heap.first }
    var count: Int { heap.count }

    mutating func insert(_ element: Element) {
        heap.append(element)
        var index = heap.count - 1
        while index > 0, heap[index] < heap[(index - 1) / 2] {
            heap.swapAt(index, (index - 1) / 2)
            index = (index - 1) / 2
        }
    }

    mutating func removeFirst() {
        guard let last = heap.popLast(), !heap.isEmpty else { return }
        heap[0] = last
        var index = 0
        while true {
            var least = index
            for child in [2 * index + 1, 2 * index + 2] where child < heap.count && heap[child] < heap[least] {
                least = child
            }
            guard least != index else { return }
            heap.swapAt(index, least)
            index = least
        }
    }

    mutating func removeAll() { heap = [] }
}

/// Numbers in ascending order, from which mostly the first is removed.
struct NumberQueue: Sendable {
    private var numbers: [UInt64] = []
    private var head = 0

    var first: UInt64? { head < numbers.count ? numbers[head] : nil }
    var isEmpty: Bool { head == numbers.count }
    var all: ArraySlice<UInt64> { numbers[head...] }

    /// Inserts a number that is not in the queue.
    mutating func insert(_ number: UInt64) {
        guard let last = numbers.last, head < numbers.count, number < last else { return numbers.append(number) }
        numbers.insert(number, at: all.firstIndex { $0 > number } ?? numbers.count)
    }

    mutating func remove(_ number: UInt64) {
        if number == first {
            head += 1
            if head > 32, head > numbers.count / 2 {
                numbers.removeFirst(head)
                head = 0
            }
        } else if let index = all.firstIndex(of: number) {
            numbers.remove(at: index)
        }
    }
}
