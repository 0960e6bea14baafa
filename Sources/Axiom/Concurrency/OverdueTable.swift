// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The calls of one client that are under way, with the time that each has run without waiting for a capability.
///
/// A pure state machine: `CallWatch` stores it under a lock. A call that begins takes a free slot, so no call allocates
/// once the table has grown to the largest number of concurrent calls.
package struct OverdueTable: Sendable {
    /// A call that is watched. It stays valid after the end of the call; the table then ignores it.
    package struct Slot: Sendable, Hashable {
        fileprivate let index: Int
        fileprivate let generation: UInt64
    }

    /// A call that has run longer than the limit.
    package struct Overdue: Sendable, Hashable {
        /// The index of the action's case.
        package let action: Int
        package let nanoseconds: Int64
        /// Whether no earlier scan has returned the call.
        package let isNew: Bool
    }

    private struct Call {
        var generation: UInt64 = 0
        var isLive = false
        var action = 0
        /// When the call began, later by the time that it has waited for capabilities.
        var start = Instant(nanoseconds: 0)
        /// The number of concurrent waits for capabilities, and when the first of them began.
        var waits = 0
        var waitsSince = Instant(nanoseconds: 0)
        var isReported = false
    }

    /// More concurrent calls of one client are not watched.
    package static let capacity = 4_096

    private var calls: [Call] = []
    private var free: [Int] = []

    /// The number of calls under way.
    package var count: Int { calls.count - free.count }

    /// A call begins. Returns its slot; nil if the table is full.
    package mutating func begin(action: Int, at now: Instant) -> Slot? {
        guard let index = free.popLast() ?? grow() else { return nil }
        let generation = calls[index].generation &+ 1
        calls[index] = Call(generation: generation, isLive: true, action: action, start: now)
        return Slot(index: index, generation: generation)
    }

    private mutating func grow() -> Int? {
        guard calls.count < Self.capacity else { return nil }
        calls.append(Call())
        return calls.count - 1
    }

    /// A call ends. Does nothing if it has ended.
    package mutating func end(_ slot: Slot) {
        guard isLive(slot) else { return }
        calls[slot.index].isLive = false
        free.append(slot.index)
    }

    /// A call begins to wait for a capability.
    package mutating func beginWait(_ slot: Slot, at now: Instant) {
        guard isLive(slot) else { return }
        if calls[slot.index].waits == 0 { calls[slot.index].waitsSince = now }
        calls[slot.index].waits += 1
    }

    /// A call no longer waits for a capability.
    package mutating func endWait(_ slot: Slot, at now: Instant) {
        guard isLive(slot), calls[slot.index].waits > 0 else { return }
        calls[slot.index].waits -= 1
        guard calls[slot.index].waits == 0 else { return }
        let waited = now.nanoseconds(since: calls[slot.index].waitsSince)
        calls[slot.index].start = calls[slot.index].start.advanced(by: .nanoseconds(waited))
    }

    /// The calls that have run longer than `limit`, without the time in which they waited for capabilities.
    package mutating func scan(at now: Instant, limit: Duration) -> [Overdue] {
        let limit = limit.clampedNanoseconds
        var overdue: [Overdue] = []
        for index in calls.indices where calls[index].isLive {
            let end = calls[index].waits > 0 ? calls[index].waitsSince : now
            let nanoseconds = end.nanoseconds(since: calls[index].start)
            guard nanoseconds > limit else { continue }
            let isNew = !calls[index].isReported
            overdue.append(Overdue(action: calls[index].action, nanoseconds: nanoseconds, isNew: isNew))
            calls[index].isReported = true
        }
        return overdue
    }

    private func isLive(_ slot: Slot) -> Bool {
        calls[slot.index].isLive && calls[slot.index].generation == slot.generation
    }
}
