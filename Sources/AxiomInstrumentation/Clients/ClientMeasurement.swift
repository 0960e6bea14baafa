// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// What both wrappers do around an action: one clock reading before and one after, and a handful of atomic adds.
///
/// Generic over the type of the actions, although any action would do: the class knows that type's conformance, which
/// the wrapper would have to look up for every action.
final class ClientMeasurement<ActionType: Action>: Sendable {
    let component: ComponentDescriptor
    let recorder: ClientRecorder
    let clock: TimeSource

    init(component: ComponentDescriptor, recorder: ClientRecorder, clock: TimeSource) {
        self.component = component
        self.recorder = recorder
        self.clock = clock
    }

    func begin() -> Instant {
        recorder.begin()
        return clock.now
    }

    func succeeded(_ action: ActionType, since start: Instant) {
        ended(action, .success, since: start)
    }

    /// Also notes where the error came from, for the boundary at which it will end.
    func failed(_ action: ActionType, _ error: any Error, since start: Instant) {
        let outcome = ActionOutcome(ofError: error)
        if outcome == .failure { ErrorTrail.current?.note(error, from: component) }
        ended(action, outcome, since: start)
    }

    private func ended(_ action: ActionType, _ outcome: ActionOutcome, since start: Instant) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        recorder.end(caseIndex: action.caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }
}
