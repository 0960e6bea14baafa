// SPDX-License-Identifier: Apache-2.0

@testable import Axiom

/// What a subscription has to do, in the slowest and plainest way: a list, rewritten from end to end by each event.
struct SubscriptionReference {
    struct Item: Equatable {
        let n: Int
        let critical: Bool
    }

    struct Delivery: Equatable {
        var states: [Int]
        var coalesced: Int
    }

    let limits: SubscriptionLimits
    var pending: [Item] = []
    var missed = 0
    var end: SubscriptionEnd?

    /// Returns how many states it coalesced, and how many it dropped.
    mutating func offer(_ item: Item) -> (coalesced: Int, dropped: Int) {
        guard end == nil else { return (0, 0) }
        if item.critical && pending.filter(\.critical).count == limits.critical {
            end = .stalled(pending: limits.critical)
            return (0, 1)
        }
        let before = pending.count
        if before + 1 > limits.pending { pending = pending.filter(\.critical) }
        let coalesced = before - pending.count
        pending.append(item)
        missed += coalesced
        return (coalesced, 0)
    }

    mutating func takeOne() -> Delivery? {
        guard !pending.isEmpty else { return nil }
        defer { missed = 0 }
        return Delivery(states: [pending.removeFirst().n], coalesced: missed)
    }

    mutating func takeAll() -> Delivery? {
        guard let last = pending.last else { return nil }
        defer {
            missed = 0
            pending = []
        }
        let kept = pending.dropLast().filter(\.critical) + [last]
        return Delivery(states: kept.map(\.n), coalesced: missed + pending.count - kept.count)
    }
}
