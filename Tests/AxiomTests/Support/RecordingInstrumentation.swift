// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Synchronization

/// Keeps everything that an orchestrator reports, in order.
final class RecordingInstrumentation: Instrumentation {
    enum Event: Sendable, Hashable {
        case registered(String)
        case created(String, UInt64)
        case destroyed(String, UInt64, lifetime: Int64)
        case resolved(String, String)
        case unmounted(String, UInt64, at: Int64)
        case shutDown(at: Int64)
        case stateProbe(String)
        case stateUpdated(String)
        case clientProbe(String, caller: String?)
        case callRefused(String, Int)
        case callEnded(String, Int, ActionOutcome, nanoseconds: Int64)
        case contextProbe(String, actions: [String])
        case actionEnded(String, Int, ActionOutcome, nanoseconds: Int64)
        case phaseEnded(String, LifecyclePhase, nanoseconds: Int64)
        case ended(code: String, origin: String, boundary: String, ErrorSeverity)
    }

    let journal = Journal<Event>()

    var events: [Event] { journal.entries }

    func registered(_ component: ComponentDescriptor, module: String) { journal.write(.registered(component.name)) }

    func created(_ instance: ComponentInstance) { journal.write(.created(instance.component.name, instance.id)) }

    func destroyed(_ instance: ComponentInstance, lifetime nanoseconds: Int64) {
        journal.write(.destroyed(instance.component.name, instance.id, lifetime: nanoseconds))
    }

    func resolved(_ dependency: ComponentDependency) {
        journal.write(.resolved(dependency.from.name, dependency.to.name))
    }

    func unmounted(_ instance: ComponentInstance, at time: Instant) {
        journal.write(.unmounted(instance.component.name, instance.id, at: time.nanoseconds))
    }

    func shutDown(at time: Instant) { journal.write(.shutDown(at: time.nanoseconds)) }

    func stateProbe(for client: ComponentDescriptor) -> (any StateProbe)? {
        journal.write(.stateProbe(client.name))
        return UpdateProbe(name: client.name, journal: journal)
    }

    func clientProbe<C: StatelessClient>(
        for client: ComponentDescriptor,
        of type: C.Type,
        calledBy caller: ComponentDescriptor?
    ) -> (any ClientProbe)? {
        journal.write(.clientProbe(client.name, caller: caller?.name))
        return CallProbe(name: client.name, journal: journal)
    }

    func contextProbe<C: Context>(for context: ComponentDescriptor, of type: C.Type) -> (any ContextProbe)? {
        journal.write(.contextProbe(context.name, actions: C.ActionType.caseNames))
        return PhaseProbe(name: context.name, journal: journal)
    }

    func ended(_ error: EndedError) {
        journal.write(
            .ended(
                code: error.code,
                origin: error.origin.name,
                boundary: error.boundary.name,
                error.severity
            )
        )
    }
}

extension RecordingInstrumentation {
    private struct UpdateProbe: StateProbe {
        let name: String
        let journal: Journal<Event>

        func stateUpdated() { journal.write(.stateUpdated(name)) }
        func statesCoalesced(_ count: Int) {}
        func statePropagated(nanoseconds: Int64) {}
        func subscriberStalled(dropped: Int) {}
    }

    private final class CallProbe: ClientProbe {
        let name: String
        let journal: Journal<Event>

        init(name: String, journal: Journal<Event>) {
            self.name = name
            self.journal = journal
        }

        func began(caseIndex: Int) {}
        func refused(caseIndex: Int) { journal.write(.callRefused(name, caseIndex)) }

        func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
            journal.write(.callEnded(name, caseIndex, outcome, nanoseconds: nanoseconds))
        }
    }

    private struct PhaseProbe: ContextProbe {
        let name: String
        let journal: Journal<Event>

        func actionEnded(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {
            journal.write(.actionEnded(name, caseIndex, outcome, nanoseconds: nanoseconds))
        }

        func phaseEnded(_ phase: LifecyclePhase, nanoseconds: Int64) {
            journal.write(.phaseEnded(name, phase, nanoseconds: nanoseconds))
        }
    }

    /// The instances of `name` that were created and not destroyed yet.
    func live(_ name: String) -> Set<UInt64> {
        events.reduce(into: []) { live, event in
            switch event {
            case .created(name, let id): live.insert(id)
            case .destroyed(name, let id, lifetime: _): live.remove(id)
            default: break
            }
        }
    }

    func createdCount(_ name: String) -> Int {
        events.count { if case .created(name, _) = $0 { true } else { false } }
    }
}
