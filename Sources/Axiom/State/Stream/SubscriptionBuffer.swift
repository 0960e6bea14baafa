// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The states that wait for one subscriber, and the policy for states that it may miss.
///
/// Up to `limits.pending` states wait unchanged. If one more arrives, the non-critical ones are coalesced into it and
/// counted. Critical ones stay, in order, up to `limits.critical`; one more is refused. `Element` is a snapshot in
/// production and a number in tests.
struct SubscriptionBuffer<Element: Sendable>: Sendable {
    struct Entry: Sendable {
        let element: Element
        let isCritical: Bool
        /// The time of the oldest mutation that this entry represents; nil if nothing measures it.
        var publishedAt: Instant?
    }

    /// The contents of one delivery.
    struct Taken: Sendable {
        /// The critical elements before `latest`.
        let earlier: [Element]
        let latest: Element
        /// The number of elements that later ones replaced since the last delivery.
        let coalesced: Int
        /// The number of these that were pending until now.
        let newlyCoalesced: Int
        /// The time of the oldest mutation in the delivery; nil if nothing measures it.
        let oldest: Instant?
        /// The elements that are not delivered, to be released outside the lock.
        let released: Released<Element>
    }

    enum Appended: Equatable {
        case kept(coalesced: Int)
        /// The limit of critical states is reached; nothing changed.
        case refused
    }

    let limits: SubscriptionLimits

    /// In the order of mutation. With more than `limits.pending` of them, only the last can be non-critical.
    private var entries = Ring<Entry>()
    private(set) var criticalCount = 0
    /// Elements replaced by later ones since the last delivery.
    private var coalesced = 0

    init(limits: SubscriptionLimits = .standard) { self.limits = limits }

    var count: Int { entries.count }
    var isEmpty: Bool { entries.isEmpty }
    var oldest: Instant? { entries.first?.publishedAt }

    /// Adds an entry.
    ///
    /// - Parameter released: Collects the dropped elements. A state can hold an object whose `deinit` uses the store,
    ///   so its last reference must not be released while a lock is held.
    mutating func append(_ entry: Entry, _ released: inout Released<Element>) -> Appended {
        if entry.isCritical, criticalCount >= limits.critical { return .refused }
        var entry = entry
        let collapsed = entries.count < limits.pending ? 0 : collapse(into: &entry, &released)
        entries.append(entry)
        criticalCount += entry.isCritical ? 1 : 0
        coalesced += collapsed
        return .kept(coalesced: collapsed)
    }

    /// Adds an entry to a buffer that no lock guards yet.
    mutating func append(_ entry: Entry) -> Appended {
        var released = Released<Element>()
        return append(entry, &released)
    }

    /// Takes the oldest pending element.
    mutating func takeFirst() -> Taken? {
        guard let first = entries.popFirst() else { return nil }
        criticalCount -= first.isCritical ? 1 : 0
        return taken([], first, collapsed: 0, Released())
    }

    /// Takes all entries: each critical element and the latest. The others are coalesced.
    mutating func takeAll() -> Taken? {
        guard var latest = entries.popLast() else { return nil }
        var earlier: [Element] = []
        var collapsed = 0
        var released = Released<Element>()
        while let entry = entries.popFirst() {
            latest.stand(for: entry)
            if entry.isCritical {
                earlier.append(entry.element)
            } else {
                collapsed += 1
                released.add(entry.element)
            }
        }
        criticalCount = 0
        return taken(earlier, latest, collapsed: collapsed, released)
    }

    /// Removes all entries and returns them, to be released outside the lock.
    mutating func removeAll() -> Ring<Entry> {
        defer {
            entries.removeAll()
            criticalCount = 0
        }
        return entries
    }

    private mutating func taken(
        _ earlier: [Element],
        _ latest: Entry,
        collapsed: Int,
        _ released: Released<Element>
    ) -> Taken {
        defer { coalesced = 0 }
        return Taken(
            earlier: earlier,
            latest: latest.element,
            coalesced: coalesced + collapsed,
            newlyCoalesced: collapsed,
            oldest: latest.publishedAt,
            released: released
        )
    }

    /// Removes every non-critical entry, which `newest` then represents, and returns their number.
    private mutating func collapse(into newest: inout Entry, _ released: inout Released<Element>) -> Int {
        let droppable = entries.count - criticalCount
        if droppable == 0 { return 0 }
        if entries.count > limits.pending, let last = entries.popLast() {
            newest.stand(for: last)
            released.add(last.element)
            return 1
        }
        for _ in 0..<entries.count {
            guard let entry = entries.popFirst() else { break }
            if entry.isCritical {
                entries.append(entry)
            } else {
                newest.stand(for: entry)
                released.add(entry.element)
            }
        }
        return droppable
    }
}

extension SubscriptionBuffer.Entry {
    /// Adopts the age of an earlier entry.
    fileprivate mutating func stand(for earlier: Self) {
        guard let time = earlier.publishedAt else { return }
        publishedAt = min(time, publishedAt ?? time)
    }
}

/// Elements that are no longer needed, kept until no lock is held. The first one costs no allocation.
struct Released<Element> {
    private var first: Element?
    private var others: [Element] = []

    mutating func add(_ element: Element) {
        if first == nil { first = element } else { others.append(element) }
    }

    mutating func add(_ more: Released) {
        if let element = more.first { add(element) }
        others.append(contentsOf: more.others)
    }
}

extension Released: Sendable where Element: Sendable {}

/// How many states may wait for one subscriber.
struct SubscriptionLimits: Sendable {
    let pending: Int
    let critical: Int

    /// 10 pending from RFC-001, "Backpressure Handling"; 1,000 critical so that memory is bounded.
    static let standard = SubscriptionLimits(pending: 10, critical: 1000)
}

/// A queue in a circular array. It takes constant time at both ends, and allocates nothing once it has grown. An
/// element that was taken is released at once.
struct Ring<Element> {
    /// Element `i` of the queue is in slot `(head + i)` modulo the capacity, which is 0 or a power of two.
    private var slots: [Element?] = []
    private var head = 0
    private(set) var count = 0

    var isEmpty: Bool { count == 0 }
    var first: Element? { count == 0 ? nil : slots[head] }

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

    mutating func removeAll() { self = Ring() }

    /// The last `count` elements, in order, or all if there are fewer.
    func suffix(_ count: Int) -> [Element] {
        (max(0, self.count - count)..<self.count).compactMap { slots[slot($0)] }
    }

    private func slot(_ offset: Int) -> Int { (head + offset) & (slots.count - 1) }

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
