// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience

/// What both wrappers do around an action: ask the circuit breaker, read the clock once before and once after, and add
/// to a handful of totals.
///
/// Generic over the type of the actions, although any action would do: the class knows that type's conformance, which
/// the wrapper would have to look up for every action.
final class ClientMeasurement<ActionType: Action>: Sendable {
    /// An action that runs.
    struct Call: ~Copyable {
        let start: Instant
        let permit: Permit
    }

    private let component: ComponentDescriptor
    private let recorder: ClientRecorder
    private let breaker: CircuitBreaker
    private let clock: TimeSource

    init(component: ComponentDescriptor, recorder: ClientRecorder, breaker: CircuitBreaker, clock: TimeSource) {
        self.component = component
        self.recorder = recorder
        self.breaker = breaker
        self.clock = clock
    }

    /// - Throws: `CircuitError` when the breaker does not admit the action, which is then counted as rejected.
    func begin(_ action: ActionType) throws(CircuitError) -> Call {
        let start = clock.now
        switch breaker.admit(at: start) {
        case .admitted(let permit):
            recorder.begin()
            return Call(start: start, permit: permit)
        case .rejected(let rejection):
            throw refuse(action, rejection)
        }
    }

    func succeeded(_ action: ActionType, _ call: consuming Call) {
        let start = call.start
        let end = clock.now
        breaker.record(call.permit, .success, at: end)
        recorder.end(caseIndex: action.caseIndex, outcome: .success, nanoseconds: end.nanoseconds(since: start))
    }

    /// Also notes where the error came from, for the boundary at which it will end.
    func failed(_ action: ActionType, _ error: any Error, _ call: consuming Call) {
        let start = call.start
        let end = clock.now
        breaker.record(call.permit, breaker.outcome(of: error), at: end, error: error)
        let outcome = ActionOutcome(ofError: error)
        if outcome == .failure { ErrorTrail.current?.note(error, from: component) }
        recorder.end(caseIndex: action.caseIndex, outcome: outcome, nanoseconds: end.nanoseconds(since: start))
    }

    @inline(never)
    private func refuse(_ action: ActionType, _ rejection: Rejection) -> CircuitError {
        let error = CircuitError(breaker.error(for: rejection))
        ErrorTrail.current?.note(error, from: component)
        recorder.refuse(caseIndex: action.caseIndex)
        return error
    }
}
