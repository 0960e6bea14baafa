// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// The families of contexts' actions and life cycle.
final class ContextMetrics: Sendable {
    /// Two successive orchestrators may have contexts of one name with different action types.
    private struct Key: Hashable {
        let context: ComponentDescriptor
        let actions: ObjectIdentifier
    }

    private let families: ActionRecorder.Families
    private let windows: WindowRecorder?
    private let budgets: BudgetMonitor
    private let slow: SlowActionsRegistry
    /// nil if no spans are recorded.
    private let exemplars: SpanExemplars?
    private let phases: Family<ExponentialHistogram, String, LifecyclePhase>
    /// Guarded by its lock, which is taken when a context type is registered.
    private let recorders = Lock<[Key: ActionRecorder]>([:])

    init(
        _ registry: Registry,
        windows: WindowRecorder?,
        budgets: BudgetMonitor,
        slow: SlowActionsRegistry,
        exemplars: SpanExemplars?,
        detail: DetailLevel
    ) throws(MetricsError) {
        self.exemplars = exemplars
        self.windows = windows
        self.slow = slow
        self.budgets = budgets
        families = try ActionRecorder.Families(
            registry,
            of: .context,
            detail: detail,
            exemplars: exemplars,
            actions: "Actions that were sent to contexts, by outcome.",
            durations: "Time from the sending of an action to its end; of actions that were not rejected."
        )
        phases = try detail.durations(
            registry,
            "axiom_context_lifecycle_duration_seconds",
            help: "Time that a phase of a context's life took; render is from a change to the picture that shows it.",
            labels: Label<String>("context"),
            Label<LifecyclePhase>("phase"),
            lean: []
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
            actions: recorder(for: context, actions: actions),
            phases: phases,
            phaseChecks: zip(LifecyclePhase.allCases, phases).map { budgets.check($0.budget, context.name, $1) },
            operations: OperationMeters(ComponentOperation.ofContexts, context.name, budgets)
        )
    }

    /// The recorder of a context type's actions, the same one each time.
    private func recorder<A: Action>(for context: ComponentDescriptor, actions: A.Type) -> ActionRecorder {
        let key = Key(context: context, actions: ObjectIdentifier(actions))
        return recorders.withLock { recorders in
            if let known = recorders[key] { return known }
            let recorder = ActionRecorder(
                context,
                actions: actions,
                families,
                windows: windows,
                budget: budgets.actions(.contextAction, context.name, actions.caseNames),
                slow: slow.actions(of: context)
            )
            recorders[key] = recorder
            return recorder
        }
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
