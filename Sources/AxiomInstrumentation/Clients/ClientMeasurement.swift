// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// What both wrappers do around an action: one clock reading before and one after, and a handful of atomic adds.
struct ClientMeasurement: Sendable {
    let component: ComponentDescriptor
    let recorder: ClientRecorder
    let clock: TimeSource

    func begin() -> Instant {
        recorder.began()
        return clock.now
    }

    func succeeded(_ action: some Action, since start: Instant) {
        ended(action, .success, since: start)
    }

    /// Also notes where the error came from, for the boundary at which it will end.
    func failed(_ action: some Action, _ error: any Error, since start: Instant) {
        let outcome = ActionOutcome(ofError: error)
        if outcome == .failure { ErrorTrail.current?.note(error, from: component) }
        ended(action, outcome, since: start)
    }

    private func ended(_ action: some Action, _ outcome: ActionOutcome, since start: Instant) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        recorder.ended(caseIndex: action.caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }
}
