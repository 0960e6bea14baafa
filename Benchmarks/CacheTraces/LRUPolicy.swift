// SPDX-License-Identifier: Apache-2.0

internal import AxiomStorage

/// Evicts the entry that was not read for the longest time.
package struct LRUPolicy: EvictionPolicy {
    private var links = SlotLinks()
    private var list = SlotList()

    package init(capacity: Int) {}

    package mutating func insert(_ slot: Int, hash: UInt64, cost: Int) { links.append(slot, cost: cost, to: &list) }

    package mutating func hit(_ slot: Int) { links.moveToEnd(slot, of: &list) }

    package mutating func remove(_ slot: Int) { links.remove(slot, from: &list) }

    package mutating func evict() -> Int? { links.removeFirst(of: &list) }
}
