// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// A first-in, first-out queue of waiters. A waiter in the middle can be removed by its ticket.
///
/// Tickets ascend, so an entry is found by binary search. A removed entry leaves a gap. The queue is compacted when more
/// than half of its entries are gaps, so that every operation costs O(log n) on average, and the memory is proportional
/// to the number of waiters.
struct WaiterQueue<Waiter: Sendable>: Sendable {
    struct Entry: Sendable {
        let ticket: UInt64
        /// Nil for no limit.
        let deadline: Instant?
        /// Nil for a gap.
        fileprivate(set) var waiter: Waiter?
    }

    private var entries: [Entry] = []
    /// The index of the first entry; those before it were taken.
    private var head = 0
    private var lastTicket: UInt64 = 0
    /// The number of waiters.
    private(set) var count = 0

    init() {}

    /// The memory in use, in entries.
    var capacityInUse: Int { entries.count }

    mutating func append(_ waiter: Waiter, deadline: Instant?) -> UInt64 {
        lastTicket += 1
        entries.append(Entry(ticket: lastTicket, deadline: deadline, waiter: waiter))
        count += 1
        return lastTicket
    }

    mutating func popFirst() -> (waiter: Waiter, deadline: Instant?)? {
        while head < entries.count {
            let entry = entries[head]
            entries[head].waiter = nil
            head += 1
            guard let waiter = entry.waiter else { continue }
            count -= 1
            compact()
            return (waiter, entry.deadline)
        }
        return nil
    }

    /// Removes a waiter.
    ///
    /// - Returns: The waiter; nil if it is not in the queue any more.
    mutating func remove(_ ticket: UInt64) -> Waiter? {
        guard let index = index(of: ticket), let waiter = entries[index].waiter else { return nil }
        entries[index].waiter = nil
        count -= 1
        compact()
        return waiter
    }

    /// Removes all waiters, in their order.
    mutating func removeAll() -> [Waiter] {
        let waiters = entries[head...].compactMap(\.waiter)
        (entries, head, count) = ([], 0, 0)
        return waiters
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
            entries.removeAll { $0.waiter == nil }
        }
        head = 0
    }
}
