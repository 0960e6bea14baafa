// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// How the calls of actions ended.
struct OutcomeCounts: Sendable, Hashable {
    var success: UInt64 = 0
    var failure: UInt64 = 0
    var cancelled: UInt64 = 0
    var rejected: UInt64 = 0

    var total: UInt64 { success &+ failure &+ cancelled &+ rejected }

    /// The share of all calls that failed or were rejected; nil if there were none.
    var failureRatio: Double? {
        total == 0 ? nil : Double(failure &+ rejected) / Double(total)
    }

    static func + (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        left.combined(with: right, &+)
    }

    static func - (left: OutcomeCounts, right: OutcomeCounts) -> OutcomeCounts {
        left.combined(with: right, &-)
    }

    private func combined(with other: OutcomeCounts, _ combine: (UInt64, UInt64) -> UInt64) -> OutcomeCounts {
        OutcomeCounts(
            success: combine(success, other.success),
            failure: combine(failure, other.failure),
            cancelled: combine(cancelled, other.cancelled),
            rejected: combine(rejected, other.rejected)
        )
    }
}

/// The totals of all actions and of the calls of capabilities: how they ended, and how long they took.
struct ActionTotals: Sendable {
    /// An action of one component type.
    struct Action: Sendable, Hashable {
        /// The id of the component type.
        let component: Int
        let name: String
    }

    /// By id, which is that of the action's row.
    private(set) var actions: [Action] = []
    /// By the id of the action.
    private(set) var outcomes: [OutcomeCounts] = []
    /// By the id of the action: how long all calls took together.
    private var seconds: [Double] = []
    /// ``width`` for each action.
    private var buckets: [UInt64] = []
    /// By the id of the action: durations beyond the bounds.
    private var tails: [Int: [UInt64]] = [:]
    private var idsByComponent: [Int: [Int]] = [:]
    /// All but the calls of capabilities, which are part of actions: counted with them, each would count twice.
    private(set) var work: [Int] = []
    /// By the action's index in the readings.
    private var ids: [Int] = []

    /// The upper bounds of the histograms of durations.
    let bounds = ActionReadings.bounds
    /// The upper bounds of the counts of ``durations(of:since:)`` but for the last.
    let durationBounds = ActionReadings.bounds + DurationTail.bounds
    /// How many buckets a histogram has.
    var width: Int { bounds.count + 1 }

    /// Replaces all totals. Cost: some nanoseconds for each bucket of each action.
    mutating func update(_ readings: ActionReadings, _ components: inout ComponentIndex) {
        if readings.actions.count > ids.count { addNew(readings.actions, &components) }
        for (index, id) in ids.enumerated() {
            outcomes[id] = readings.outcomes(ofActionAt: index)
            seconds[id] = readings.seconds[index]
            for bucket in 0..<width { buckets[id * width + bucket] = readings.buckets[index * width + bucket] }
        }
        for (index, tail) in readings.tails where index < ids.count { tails[ids[index]] = tail }
    }

    /// Gives ids to new actions: clients' first, then in the order of the names.
    private mutating func addNew(_ all: [ActionReadings.Action], _ components: inout ComponentIndex) {
        func key(_ index: Int) -> (Int, String, String) {
            let component = all[index].component
            return (component.kind == .client ? 0 : 1, component.name, all[index].name)
        }
        let new = ids.count..<all.count
        ids += Array(repeating: 0, count: new.count)
        for index in new.sorted(by: { key($0) < key($1) }) {
            let id = actions.count
            let component = components.id(all[index].component)
            actions.append(Action(component: component, name: all[index].name))
            idsByComponent[component, default: []].append(id)
            if all[index].component.kind != .capability { work.append(id) }
            ids[index] = id
        }
        outcomes += Array(repeating: OutcomeCounts(), count: new.count)
        seconds += Array(repeating: 0, count: new.count)
        buckets += Array(repeating: 0, count: new.count * width)
    }
}

extension ActionTotals {
    /// The ids of a component's actions.
    func ids(of component: Int) -> [Int] { idsByComponent[component] ?? [] }

    /// How the calls of an action ended since an earlier moment; since the beginning without one.
    func outcomes(_ action: Int, since earlier: ActionTotals? = nil) -> OutcomeCounts {
        guard let earlier, action < earlier.outcomes.count else { return outcomes[action] }
        return outcomes[action] - earlier.outcomes[action]
    }

    /// How long all calls of a component took together since an earlier moment, in seconds.
    func seconds(ofComponent id: Int, since earlier: ActionTotals?) -> Double {
        ids(of: id).reduce(0) { sum, action in
            let before = earlier.map { action < $0.seconds.count ? $0.seconds[action] : 0 }
            return sum + seconds[action] - (before ?? 0)
        }
    }

    /// How long the calls of actions took, since an earlier moment or since the beginning: a count for each of
    /// ``durationBounds``, and the last for what is beyond. Zeros at the end may be missing.
    ///
    /// Durations beyond the histogram's bounds are taken from the tails alone. They are added to the tails a moment after
    /// the histogram, and each count must only grow.
    func durations(of actions: some Sequence<Int>, since earlier: ActionTotals? = nil) -> [UInt64] {
        var sum = [UInt64](repeating: 0, count: bounds.count)
        for action in actions {
            for bucket in bounds.indices {
                let index = action * width + bucket
                sum[bucket] &+= buckets[index] &- Self.value(earlier?.buckets, index)
            }
            guard let tail = tails[action] else { continue }
            if sum.count == bounds.count { sum += Array(repeating: 0, count: tail.count) }
            for (index, count) in tail.enumerated() {
                sum[bounds.count + index] &+= count &- Self.value(earlier?.tails[action], index)
            }
        }
        return sum
    }

    /// The total at an index; 0 for an action that was not known then.
    private static func value(_ totals: [UInt64]?, _ index: Int) -> UInt64 {
        guard let totals, index < totals.count else { return 0 }
        return totals[index]
    }
}

extension ActionReadings {
    /// The outcomes of an action are next to each other, in the order of the cases.
    fileprivate func outcomes(ofActionAt index: Int) -> OutcomeCounts {
        let first = index * Self.outcomeCount
        return OutcomeCounts(
            success: outcomes[first],
            failure: outcomes[first + 1],
            cancelled: outcomes[first + 2],
            rejected: outcomes[first + 3]
        )
    }
}
