// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The families of contexts' actions and life cycle.
final class ContextMetrics: Sendable {
    private let actions: ActionRecorders
    private let budgets: BudgetMonitor
    /// nil if no spans are recorded.
    private let exemplars: SpanExemplars?
    private let phases: Family<ExponentialHistogram, String, LifecyclePhase>

    init(_ instruments: ActionInstruments, in registry: Registry) throws(MetricsError) {
        budgets = instruments.budgets
        exemplars = instruments.exemplars
        let families = try ActionRecorder.Families(instruments, .contexts, in: registry)
        actions = ActionRecorders(instruments, families, budget: .contextAction)
        phases = try registry.family(
            instruments.detail.durations(lean: []),
            "axiom_context_lifecycle_duration_seconds",
            help: "Time that a phase of a context's life took; render is from a change to the picture that shows it.",
            labels: Label<String>("context"),
            Label<LifecyclePhase>("phase")
        )
    }

    func probe<A: Action>(
        for context: ComponentDescriptor,
        actions: A.Type
    ) -> ContextRecorder {
        let phases = LifecyclePhase.allCases.map { self.phases(context.name, $0) }
        for (phase, histogram) in zip(LifecyclePhase.allCases, phases) {
            exemplars?.add(phase == .render ? .render : .lifecyclePhase, context, phase.rawValue, histogram)
        }
        return ContextRecorder(
            actions: self.actions.recorder(for: context, actions: actions),
            phases: phases,
            phaseChecks: zip(LifecyclePhase.allCases, phases).map { budgets.check($0.budget, context.name, $1) },
            operations: OperationMeters(ComponentOperation.ofContexts, context.name, budgets)
        )
    }
}

/// The instruments of one context type.
struct ContextRecorder: ContextProbe {
    let actions: ActionRecorder
    /// In the order of `LifecyclePhase.allCases`.
    let phases: [ExponentialHistogram]
    /// In the same order.
    let phaseChecks: [BudgetCheck?]
    let operations: OperationMeters

    func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
        if outcome == .rejected { return actions.refuse(caseIndex: caseIndex) }
        actions.record(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }

    func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64) {
        guard let index = LifecyclePhase.allCases.firstIndex(of: phase) else { return }
        phases[index].observe(nanoseconds: nanoseconds)
        phaseChecks[index]?.check(nanoseconds)
    }

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        operations.operationEnded(operation, nanoseconds: nanoseconds)
    }
}

extension LifecyclePhase {
    /// The budget that limits the phase.
    fileprivate var budget: PerformanceBudget.ID {
        switch self {
        case .create: .contextCreation
        case .appear, .disappear, .background, .foreground: .lifecycle
        case .render: .rendering
        }
    }
}
