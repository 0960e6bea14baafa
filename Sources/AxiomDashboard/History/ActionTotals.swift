// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

/// How the calls of actions ended.
struct OutcomeCounts: Sendable, Hashable {
    var success: UInt64 = 0
    var failure: UInt64 = 0
    var cancelled: UInt64 = 0
    var rejected: UInt64 = 0

    var total: UInt64 { success &+ failure &+ cancelled &+ rejected }

    /// The share of all calls that failed or were rejected; nil if there were none.
    var failureRatio: Double? { total == 0 ? nil : Double(failure &+ rejected) / Double(total) }

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
    /// By the id of the action, in seconds.
    private var durations: [ExponentialHistogramData] = []
    private var idsByComponent: [Int: [Int]] = [:]
    /// All but the calls of capabilities, which are part of actions: counted with them, each would count twice.
    private(set) var work: [Int] = []
    /// By the action's index in the readings.
    private var ids: [Int] = []

    /// Replaces all totals.
    mutating func update(_ readings: ActionReadings, _ components: inout ComponentIndex) {
        if readings.actions.count > ids.count { addNew(readings.actions, &components) }
        for (index, id) in ids.enumerated() {
            outcomes[id] = readings.outcomes(ofActionAt: index)
            durations[id] = readings.durations[index]
        }
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
        durations += Array(repeating: .empty, count: new.count)
    }

    func ids(of component: Int) -> [Int] { idsByComponent[component] ?? [] }

    /// How the calls of an action ended since an earlier moment; since the beginning without one.
    func outcomes(_ action: Int, since earlier: ActionTotals? = nil) -> OutcomeCounts {
        guard let earlier, action < earlier.outcomes.count else { return outcomes[action] }
        return outcomes[action] - earlier.outcomes[action]
    }

    /// How long the calls of actions took, in seconds, since an earlier moment or since the beginning.
    func durations(of actions: some Sequence<Int>, since earlier: ActionTotals? = nil) -> ExponentialHistogramData {
        actions.reduce(into: .empty) { sum, action in
            let known = earlier.map { action < $0.durations.count ? $0.durations[action] : .empty } ?? .empty
            sum.merge(durations[action].subtracting(known))
        }
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
