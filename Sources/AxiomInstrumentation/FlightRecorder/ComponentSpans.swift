// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Records the spans of one component type: knows its number, the numbers of its actions, and their budgets.
final class ComponentSpans: SpanProbe {
    private let recorder: FlightRecorder
    private let component: UInt64
    /// By the index of the action's case; the last element is for every other index.
    private let actions: [UInt64]
    /// In the same order: the duration above which an action is over its budget.
    private let limits: [Int64]
    /// In the same order. The last one is also for spans that are no actions.
    private let slowest: HandleTable<SlowestGate>

    /// - Parameters:
    ///   - component: Nil for work that the application named.
    ///   - limits: One for each action, and one for every other index.
    init(_ recorder: FlightRecorder, _ component: ComponentDescriptor?, actions: [String], limits: [Int64]) {
        self.recorder = recorder
        self.component = component.map(recorder.names.number) ?? 0
        let names = actions + [ActionTable.otherAction]
        self.actions = names.map(recorder.names.number)
        self.limits = limits
        slowest = HandleTable(names.map { _ in SlowestGate() })
    }

    func begin(at start: Instant, under parent: SpanContext) -> OpenSpan {
        recorder.begin(at: start, under: parent)
    }

    func end(_ span: OpenSpan, _ record: SpanRecord) {
        let (index, marks) = (index(of: record), marks(of: record))
        var words = words(of: record)
        slowest.use(at: index) { recorder.end(span, &words, marks: marks, slowest: $0) }
    }

    func record(_ record: SpanRecord) {
        let (index, marks) = (index(of: record), marks(of: record))
        var words = words(of: record)
        slowest.use(at: index) { recorder.record(&words, marks: marks, slowest: $0) }
    }

    /// The index of an action; that of every other one for spans that are no actions.
    @inline(__always)
    private func index(of record: SpanRecord) -> Int {
        let other = actions.count &- 1
        guard case .action(let index) = record.name else { return other }
        // One comparison: as an unsigned number, a negative index is a large one.
        return Int(bitPattern: min(UInt(bitPattern: index), UInt(bitPattern: other)))
    }

    @inline(__always)
    private func words(of record: SpanRecord) -> SpanWords {
        let name: UInt64
        switch record.name {
        case .action: name = actions[index(of: record)]
        case .kind: name = 0
        case .text(let text): name = recorder.names.number(of: text)
        }
        let error = record.error.map(recorder.names.number) ?? 0
        return SpanWords(record, component: component, name: name, error: error)
    }

    @inline(__always)
    private func marks(of record: SpanRecord) -> TraceTable.Marks {
        if record.outcome == .failure { return .failed }
        guard record.outcome == .success, case .action = record.name else { return [] }
        return record.nanoseconds > limits[index(of: record)] ? .overBudget : []
    }
}

/// The recorders of all component types, and of the work that the application names.
final class SpanProbes: Sendable {
    private struct Key: Hashable {
        let component: ComponentDescriptor
        let actions: [String]
    }

    private struct State {
        var components: [Key: ComponentSpans] = [:]
        var custom: [String: ComponentSpans] = [:]
    }

    let recorder: FlightRecorder
    private let budgets: BudgetMonitor
    /// Guarded by its lock, which is taken when a component is bound and when named work begins.
    private let state = Lock(State())

    init(_ recorder: FlightRecorder, _ budgets: BudgetMonitor) {
        self.recorder = recorder
        self.budgets = budgets
    }

    /// The recorder of a component type, the same one each time.
    func probe(for component: ComponentDescriptor, actions: [String]) -> ComponentSpans {
        state.withLock { state in
            let key = Key(component: component, actions: actions)
            if let known = state.components[key] { return known }
            let limits = budgets.actionLimits(component, actions)
            let probe = ComponentSpans(recorder, component, actions: actions, limits: limits)
            state.components[key] = probe
            return probe
        }
    }

    /// The recorder of named work, the same one each time. Names beyond the limit share one.
    func probe(named name: String) -> ComponentSpans {
        state.withLock { state in
            if let known = state.custom[name] { return known }
            let name = state.custom.count < SpanNames.limit ? name : SpanNames.other
            if let known = state.custom[name] { return known }
            let probe = ComponentSpans(recorder, nil, actions: [name], limits: [.max, .max])
            state.custom[name] = probe
            return probe
        }
    }
}

extension BudgetMonitor {
    /// The limits of a component's actions in nanoseconds, and last that of an action with an invalid index;
    /// `Int64.max` without a limit.
    fileprivate func actionLimits(_ component: ComponentDescriptor, _ actions: [String]) -> [Int64] {
        let id: PerformanceBudget.ID = component.kind == .context ? .contextAction : .clientAction
        guard component.kind == .context || component.kind == .client, let budget = table.budget(id),
            table.standing(id, component.name) != .removed, budget.limit.unit == .time
        else { return Array(repeating: .max, count: actions.count + 1) }
        return actions.map { table.limit(budget, component.name, action: $0) } + [table.limit(budget, component.name)]
    }
}
