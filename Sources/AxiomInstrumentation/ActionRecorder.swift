// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The handles of one component's actions, bound in advance: recording is an array look-up and two atomic operations.
final class ActionRecorder: Sendable {
    /// The families that actions of one kind of component are recorded in.
    struct Families: Sendable {
        let actions: Family<Counter, String, String, ActionOutcome>
        let durations: Family<Histogram, String, String>
    }

    /// What an action is called whose index lies outside of its type's case names.
    static let otherAction = "other"

    private static let outcomes = 4

    private let component: String
    private let names: [String]
    private let families: Families
    /// For each case of the action a row of one counter for each outcome, in the order of `ActionOutcome.allCases`.
    /// Flat, so that a look-up touches the counter that it is for and no other.
    private let counters: HandleTable<Counter>
    /// By the index of the action's case.
    private let durations: HandleTable<Histogram>
    /// The same durations window by window; nil unless they are recorded or judged, so that an application in which
    /// they are not pays for one comparison.
    private let windows: ActionWindows?
    /// nil where the budget of actions is not measured.
    private let budget: ActionBudget?
    private let slow: SlowActions

    init<A: Action>(
        _ descriptor: ComponentDescriptor,
        actions: A.Type,
        _ families: Families,
        windows recorder: WindowRecorder?,
        budget: ActionBudget?,
        slow: SlowActions
    ) {
        self.slow = slow
        let component = descriptor.name
        self.component = component
        self.families = families
        let names = A.caseNames
        self.names = names
        counters = HandleTable(
            names.flatMap { name in ActionOutcome.allCases.map { families.actions(component, name, $0) } }
        )
        durations = HandleTable(names.map { families.durations(component, $0) })
        windows = recorder.map { ActionWindows(descriptor, actions: names, $0) }
        self.budget = budget
        for (index, (name, histogram)) in zip(names, durations.handles).enumerated() {
            let row = counters.handles[index * Self.outcomes..<(index + 1) * Self.outcomes]
            slow.table.add(descriptor, name, Array(row), histogram)
            budget?.series.add(.classic(histogram, tail: ActionTail(actions: slow, name: name)))
        }
    }

    /// How many cases the action has.
    var cases: Int { names.count }

    /// The name of a case; ``otherAction`` for every other index.
    func name(at caseIndex: Int) -> String {
        names.indices.contains(caseIndex) ? names[caseIndex] : Self.otherAction
    }

    func record(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        guard names.indices.contains(caseIndex) else { return recordOther(outcome, nanoseconds) }
        counters.use(at: caseIndex &* Self.outcomes &+ outcome.index) { $0.increment() }
        durations.use(at: caseIndex) { $0.observe(nanoseconds: nanoseconds) }
        windows?.observe(caseIndex: caseIndex, nanoseconds: nanoseconds)
        // How long a cancelled action ran was its caller's decision.
        if outcome != .cancelled { budget?.check(caseIndex: caseIndex, nanoseconds) }
        if slow.concerns(nanoseconds) { slow.note(names[caseIndex], outcome, nanoseconds) }
    }

    /// Counts an action that was refused before it ran. It took no time, and is not in the histogram.
    func refuse(caseIndex: Int) {
        guard names.indices.contains(caseIndex) else {
            let rejected = families.actions(component, Self.otherAction, .rejected)
            slow.table.add(slow.component, Self.otherAction, [nil, nil, nil, rejected], nil)
            return rejected.increment()
        }
        counters.use(at: caseIndex &* Self.outcomes &+ ActionOutcome.rejected.index) { $0.increment() }
    }

    /// A type may give any index; the series for those that are wrong is made when the first one comes.
    @inline(never)
    private func recordOther(_ outcome: ActionOutcome, _ nanoseconds: Int64) {
        // All of them, so that none is missing from the page until it happens.
        let counters = ActionOutcome.allCases.map { families.actions(component, Self.otherAction, $0) }
        counters[outcome.index].increment()
        let histogram = families.durations(component, Self.otherAction)
        slow.table.add(slow.component, Self.otherAction, counters, histogram)
        budget?.series.add(.classic(histogram, tail: ActionTail(actions: slow, name: Self.otherAction)))
        histogram.observe(nanoseconds: nanoseconds)
        windows?.observeOther(nanoseconds: nanoseconds)
        if outcome != .cancelled { budget?.checkOther(nanoseconds) }
        if slow.concerns(nanoseconds) { slow.note(Self.otherAction, outcome, nanoseconds) }
    }
}

extension ActionOutcome {
    /// The place in `allCases`.
    var index: Int {
        switch self {
        case .success: 0
        case .failure: 1
        case .cancelled: 2
        case .rejected: 3
        }
    }
}
