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
        /// Asked once: a type that leaves it to reflection takes its time.
        let caseIndex: Int
        let permit: Permit
    }

    private let component: ComponentDescriptor
    private let recorder: CallerRecorder
    private let breaker: CircuitBreaker
    private let clock: TimeSource

    init(component: ComponentDescriptor, recorder: CallerRecorder, breaker: CircuitBreaker, clock: TimeSource) {
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
            let caseIndex = action.caseIndex
            recorder.begin(caseIndex: caseIndex)
            return Call(start: start, caseIndex: caseIndex, permit: permit)
        case .rejected(let rejection):
            throw refuse(action, rejection)
        }
    }

    /// Whether the wait for the actor is timed of this action: about one in 64 are, chosen by the low digits of the
    /// clock, since a count would be a word that all threads write to.
    @inline(__always)
    func timesWait(_ call: borrowing Call) -> Bool {
        (UInt64(bitPattern: call.start.nanoseconds) &* 0x9E37_79B9_7F4A_7C15) >> 58 == 0
    }

    /// Has the client process an action, on the client's actor from the first instant to the last.
    ///
    /// The client is the parameter that this is isolated to: isolated to the wrapper, with the client's executor, it would
    /// look up the wrapper's metadata for each action.
    func run<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        on client: isolated C,
        timesEntry: Bool
    ) async -> ActorPassage {
        let entry = timesEntry ? clock.now : nil
        do {
            try await client.process(action)
        } catch {
            return ActorPassage(entry: entry, end: clock.now, error: error)
        }
        return ActorPassage(entry: entry, end: clock.now, error: nil)
    }

    /// Records an action that has left the actor.
    ///
    /// - Throws: What the client threw.
    @inline(__always)
    func end(_ call: consuming Call, _ passage: ActorPassage) throws {
        if let entry = passage.entry { recorder.waited(nanoseconds: entry.nanoseconds(since: call.start)) }
        if let error = passage.error {
            failed(error, call, at: passage.end)
            throw error
        }
        succeeded(call, at: passage.end)
    }

    private func succeeded(_ call: consuming Call, at end: Instant) {
        let (start, caseIndex) = (call.start, call.caseIndex)
        breaker.record(call.permit, .success, at: end)
        recorder.end(caseIndex: caseIndex, outcome: .success, nanoseconds: end.nanoseconds(since: start))
    }

    /// Also notes where the error came from, for the boundary at which it will end.
    @inline(never)
    private func failed(_ error: any Error, _ call: consuming Call, at end: Instant) {
        let (start, caseIndex) = (call.start, call.caseIndex)
        breaker.record(call.permit, breaker.outcome(of: error), at: end, error: error)
        let outcome = ActionOutcome(ofError: error)
        if outcome == .failure { ErrorTrail.current?.note(error, from: component) }
        recorder.end(caseIndex: caseIndex, outcome: outcome, nanoseconds: end.nanoseconds(since: start))
    }

    @inline(never)
    private func refuse(_ action: ActionType, _ rejection: Rejection) -> CircuitError {
        let error = CircuitError(breaker.error(for: rejection))
        ErrorTrail.current?.note(error, from: component)
        recorder.refuse(caseIndex: action.caseIndex)
        return error
    }
}

/// What is known about an action when it leaves its client's actor.
struct ActorPassage: Sendable {
    /// When it entered; nil where its wait is not timed.
    let entry: Instant?
    let end: Instant
    /// What the client threw.
    let error: (any Error)?
}
