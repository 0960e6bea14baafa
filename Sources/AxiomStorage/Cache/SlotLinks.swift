// SPDX-License-Identifier: Apache-2.0

/// The ends of a doubly linked list of slots.
package struct SlotList {
    /// -1 if the list is empty, as `last`.
    package fileprivate(set) var first: Int32 = -1
    fileprivate var last: Int32 = -1
    /// The cost of all slots of the list.
    package fileprivate(set) var cost = 0

    /// Creates an empty list.
    package init() {}

    package var isEmpty: Bool { first < 0 }
}

/// The links of several lists of slots. Each slot is in at most one list. Every operation takes constant time.
package struct SlotLinks {
    private struct Link {
        var previous: Int32 = -1
        var next: Int32 = -1
        var cost = 0
    }

    private var links: [Link] = []

    package init() {}

    /// Sets the cost of a slot that is in no list, and adds it at the end of one.
    package mutating func append(_ slot: Int, cost: Int, to list: inout SlotList) {
        while links.count <= slot { links.append(Link()) }
        links[slot].cost = cost
        append(slot, to: &list)
    }

    /// Adds a slot that is in no list at the end, with the cost that it had.
    package mutating func append(_ slot: Int, to list: inout SlotList) {
        links[slot].previous = list.last
        links[slot].next = -1
        if list.isEmpty { list.first = Int32(slot) } else { links[Int(list.last)].next = Int32(slot) }
        list.last = Int32(slot)
        list.cost += links[slot].cost
    }

    /// Removes a slot from the list that has it.
    package mutating func remove(_ slot: Int, from list: inout SlotList) {
        let link = links[slot]
        if link.previous < 0 { list.first = link.next } else { links[Int(link.previous)].next = link.next }
        if link.next < 0 { list.last = link.previous } else { links[Int(link.next)].previous = link.previous }
        list.cost -= link.cost
    }

    /// Changes the cost of a slot of a list.
    package mutating func change(_ slot: Int, cost: Int, in list: inout SlotList) {
        list.cost += cost - links[slot].cost
        links[slot].cost = cost
    }

    /// Moves a slot to the end of the list that has it.
    package mutating func moveToEnd(_ slot: Int, of list: inout SlotList) {
        remove(slot, from: &list)
        append(slot, to: &list)
    }

    /// Removes the first slot. Returns nil if the list is empty.
    package mutating func removeFirst(of list: inout SlotList) -> Int? {
        guard !list.isEmpty else { return nil }
        let slot = Int(list.first)
        remove(slot, from: &list)
        return slot
    }
}
