// SPDX-License-Identifier: Apache-2.0

/// A list whose first element needs no allocation. For lists that rarely have more.
struct ShortList<Element: Sendable>: Sendable, Sequence {
    private(set) var first: Element?
    private var others: [Element] = []

    init() {}

    var count: Int { first == nil ? 0 : 1 + others.count }

    mutating func append(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    /// Removes and returns the first element; nil if the list is empty.
    mutating func popFirst() -> Element? {
        defer { first = others.isEmpty ? nil : others.removeFirst() }
        return first
    }

    func makeIterator() -> Iterator { Iterator(first: first, others: others.makeIterator()) }

    struct Iterator: IteratorProtocol {
        fileprivate var first: Element?
        fileprivate var others: [Element].Iterator

        mutating func next() -> Element? { first.take() ?? others.next() }
    }
}
