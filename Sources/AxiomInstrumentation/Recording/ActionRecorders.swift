// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// What the recorders of all actions share. Not the registry, which would retain itself through its collectors.
struct ActionInstruments: Sendable {
    /// nil if durations are neither recorded nor judged in windows.
    var windows: WindowRecorder?
    let budgets: BudgetMonitor
    let slow: SlowActionsRegistry
    /// nil if no spans are recorded.
    let exemplars: SpanExemplars?
    let detail: DetailLevel
}

/// The recorders of the actions of one kind of component.
final class ActionRecorders: Sendable {
    /// Two successive orchestrators may have components of one name with different action types.
    private struct Key: Hashable {
        let component: ComponentDescriptor
        let actions: ObjectIdentifier
    }

    private let instruments: ActionInstruments
    private let families: ActionRecorder.Families
    private let budget: PerformanceBudget.ID?
    /// Guarded by its lock, which is taken when a component is bound.
    private let recorders = Lock<[Key: ActionRecorder]>([:])

    /// - Parameter budget: The budget of the actions; nil if they have none.
    init(_ instruments: ActionInstruments, _ families: ActionRecorder.Families, budget: PerformanceBudget.ID?) {
        self.instruments = instruments
        self.families = families
        self.budget = budget
    }

    /// The recorder of a component's actions, the same one each time.
    func recorder<A: Action>(for component: ComponentDescriptor, actions: A.Type) -> ActionRecorder {
        let key = Key(component: component, actions: ObjectIdentifier(actions))
        return recorders.withLock { recorders in
            if let known = recorders[key] { return known }
            let limits = budget.flatMap { instruments.budgets.actions($0, component.name, actions.caseNames) }
            let recorder = ActionRecorder(component, names: actions.caseNames, families, instruments, budget: limits)
            recorders[key] = recorder
            return recorder
        }
    }
}
