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
    /// The numbers of the life cycle phases' names.
    private let phases: [LifecyclePhase: UInt64]
    private let observation: UInt64
    /// The numbers of the names of a capability's calls.
    private let calls: CallTable<UInt64>?

    /// - Parameters:
    ///   - component: Nil for work that the application named.
    ///   - limits: One for each action, and one for every other index.
    init(_ recorder: FlightRecorder, _ component: ComponentDescriptor?, actions: [String], limits: [Int64]) {
        self.recorder = recorder
        self.component = component.map(recorder.names.number) ?? 0
        let names = actions + [ActionTable.otherAction]
        let number = component == nil ? recorder.names.number(of:) : recorder.names.number(ofAction:)
        self.actions = names.map(number)
        self.limits = limits
        slowest = HandleTable(names.map { _ in SlowestGate() })
        let isContext = component?.kind == .context
        let phases = isContext ? LifecyclePhase.allCases : []
        self.phases = Dictionary(uniqueKeysWithValues: phases.map { ($0, recorder.names.number(of: $0.rawValue)) })
        observation = isContext ? recorder.names.number(of: RunningWork.observation) : 0
        calls = component?.kind == .capability ? CallTable { recorder.names.number(ofAction: $0) } : nil
    }

    var callBinding: CallBinding { recorder.callBinding }

    @inline(__always)
    func begin(_ kind: SpanKind, _ name: SpanRecord.Name, at start: Instant, under parent: SpanContext) -> OpenSpan {
        let subject = SpanWords.subject(kind, component: component, name: number(of: name))
        return recorder.begin(subject, at: start, under: parent)
    }

    func end(_ span: OpenSpan, _ record: SpanRecord) {
        let (index, marks) = (index(of: record.name), marks(of: record))
        // The span has the numbers of its kind and its name since it began.
        var words = SpanWords(record, subject: span.context.subject, error: number(of: record.error))
        slowest[index]._withUnsafeGuaranteedRef { recorder.end(span, &words, marks: marks, slowest: $0) }
    }

    @inline(__always)
    func succeeded(_ action: EndedAction, in span: OpenSpan?) {
        let index = index(ofAction: action.caseIndex)
        let marks: TraceTable.Marks = action.nanoseconds > limits[index] ? .overBudget : []
        let subject = SpanWords.subject(.clientAction, component: component, name: actions[index])
        var words = SpanWords(action, subject: subject)
        slowest[index]._withUnsafeGuaranteedRef { slowest in
            guard let span else { return recorder.record(&words, marks: marks, slowest: slowest) }
            recorder.end(span, &words, marks: marks, slowest: slowest)
        }
    }

    func record(_ record: SpanRecord) {
        let (index, marks) = (index(of: record.name), marks(of: record))
        let subject = SpanWords.subject(record.kind, component: component, name: number(of: record.name))
        var words = SpanWords(record, subject: subject, error: number(of: record.error))
        slowest[index]._withUnsafeGuaranteedRef { recorder.record(&words, marks: marks, slowest: $0) }
    }

    @MainActor
    func enter(_ work: MainActorWork, _ span: SpanContext) -> UInt64 {
        recorder.running.replace(by: RunningWork(component: component, name: number(of: work), span: span.span))
    }

    @MainActor
    func leave(_ previous: UInt64) {
        recorder.running.restore(previous)
    }

    @MainActor
    func label(of work: MainActorWork) -> SpanContext? {
        guard recorder.callBinding.isOn, OperationContext.currentSpan.isNone else { return nil }
        return recorder.label(SpanWords.subject(.contextAction, component: component, name: number(of: work)))
    }

    private func number(of work: MainActorWork) -> UInt64 {
        switch work {
        case .action(let index): actions[self.index(ofAction: index)]
        case .phase(let phase): phases[phase] ?? 0
        case .observation: observation
        }
    }

    /// The index of an action; that of every other one for spans that are no actions.
    @inline(__always)
    private func index(of name: SpanRecord.Name) -> Int {
        guard case .action(let index) = name else { return actions.count &- 1 }
        return self.index(ofAction: index)
    }

    @inline(__always)
    private func index(ofAction index: Int) -> Int {
        // One comparison: as an unsigned number, a negative index is a large one.
        Int(bitPattern: min(UInt(bitPattern: index), UInt(bitPattern: actions.count &- 1)))
    }

    @inline(__always)
    private func number(of name: SpanRecord.Name) -> UInt64 {
        switch name {
        case .action: actions[index(of: name)]
        case .kind: 0
        case .call(let name): calls.map { $0[$0.number(of: name)] } ?? 0
        case .text(let text): recorder.names.number(of: text)
        }
    }

    @inline(__always)
    private func number(of error: (any Error)?) -> UInt64 { error.map(recorder.names.number) ?? 0 }

    @inline(__always)
    private func marks(of record: SpanRecord) -> TraceTable.Marks {
        if record.outcome == .failure { return .failed }
        // A capability that there is not, or that may not be used, is one of the causes that are looked for.
        if record.outcome == .rejected, record.kind == .capabilityCall { return .failed }
        guard record.outcome == .success, case .action = record.name else { return [] }
        return record.nanoseconds > limits[index(of: record.name)] ? .overBudget : []
    }
}

/// The recorders of all component types, and of the work that the application names.
final class SpanProbes: Sendable {
    private struct Key: Hashable {
        let component: ComponentDescriptor
        let actions: [String]
    }

    private struct State {
        var components: [Key: any SpanProbe] = [:]
        var custom: [String: any SpanProbe] = [:]
        var exporter: (any SpanExporter)?

        /// The recorder that a component gets: `spans`, or one that exports too.
        func probe(_ spans: ComponentSpans, _ labels: SpanLabels) -> any SpanProbe {
            exporter?.probe(recordingWith: spans, labels) ?? spans
        }
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
    func probe(for component: ComponentDescriptor, actions: [String]) -> any SpanProbe {
        state.withLock { state in
            let key = Key(component: component, actions: actions)
            if let known = state.components[key] { return known }
            let limits = budgets.actionLimits(component, actions)
            let spans = ComponentSpans(recorder, component, actions: actions, limits: limits)
            let probe = state.probe(spans, SpanLabels(component, actions))
            state.components[key] = probe
            return probe
        }
    }

    /// The recorder of named work, the same one each time. Names beyond the limit share one.
    func probe(named name: String) -> any SpanProbe {
        state.withLock { state in
            if let known = state.custom[name] { return known }
            let name = state.custom.count < SpanNames.limit ? name : SpanNames.other
            if let known = state.custom[name] { return known }
            let spans = ComponentSpans(recorder, nil, actions: [name], limits: [.max, .max])
            let probe = state.probe(spans, SpanLabels(nil, [name]))
            state.custom[name] = probe
            return probe
        }
    }

    /// Passes the spans that begin from now on to `exporter` too.
    ///
    /// - Throws: ``TelemetryError`` if there is an exporter, or a component has its recorder.
    func export(to exporter: any SpanExporter) throws(TelemetryError) {
        let isAccepted = state.withLock { state in
            guard state.exporter == nil, state.components.isEmpty else { return false }
            state.exporter = exporter
            // Named work gets its recorder each time that it begins.
            state.custom = [:]
            return true
        }
        if !isAccepted { throw .spanExportRefused }
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
