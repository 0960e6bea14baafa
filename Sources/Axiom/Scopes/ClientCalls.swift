// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Records the calls of one client as spans.
package struct ClientSpans: Sendable {
    let probe: any SpanProbe
    /// The number of the client instance.
    let instance: UInt64
    /// Whether calls bind a span, because there can be children of it.
    let callBinding: CallBinding

    /// - Parameter binds: Whether the client can call capabilities, whose spans are children of its own. With a
    ///   ``SpanBinding`` each call binds a span, because spans of the other library can be children. Else the probe says when
    ///   calls do.
    package init(_ probe: any SpanProbe, instance: UInt64, binds: Bool) {
        self.probe = probe
        self.instance = instance
        callBinding = binds || probe.binding != nil ? .always : probe.callBinding
    }
}

/// The recorder of spans that are not recorded.
final class NoSpans: SpanProbe {
    static let probe = NoSpans()

    func begin(_: SpanKind, _: SpanRecord.Name, at start: Instant, under: SpanContext) -> OpenSpan {
        OpenSpan(.none, parent: 0, start: start)
    }
    func end(_ span: OpenSpan, _ record: SpanRecord) {}
    func record(_ record: SpanRecord) {}
    func succeeded(_ action: EndedAction, in span: OpenSpan?) {}
}

/// The probe of calls that nothing observes.
final class NoCalls: ClientProbe {
    static let probe = NoCalls()

    func began(caseIndex: Int) {}
    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {}
    func refused(caseIndex: Int) {}
}

/// An action of a client that runs. Not nested in ``ClientCalls``, because the metadata of a type in a generic class would be
/// looked up for each action.
struct ClientCall: ~Copyable {
    let start: Instant
    /// Read once, because reflection takes time.
    let caseIndex: Int
    fileprivate var permits: BreakerPermits
}

/// When an action entered and left its client's actor, and its error. Filled in on the actor, and read by the caller after it
/// has left. Apart from the answer, so that its type does not depend on that of the answer.
struct ClientPassage: Sendable {
    /// Nil if the wait of the action is not timed.
    var entry: Instant?
    /// Of an action that has not left the actor: the time of its call.
    var end: Instant
    /// Nil if the action succeeded.
    var error: (any Error)?

    init(_ call: borrowing ClientCall) { end = call.start }
}

/// Surrounds each observed action of a client with admission by the circuit breakers, one clock reading before and one
/// after, and the report to the probe.
///
/// Generic over the action type for speed: the class knows the conformance of that type, which the wrapper would have
/// to look up for every action.
final class ClientCalls<ActionType: Action>: Sendable {
    private let probe: any ClientProbe
    let component: ComponentDescriptor
    private let gate: BreakerGate
    let clock: TimeSource
    /// Not optional, because an optional would be retained for each call.
    private let spans: any SpanProbe
    private let instance: UInt64
    /// Not optional, because an optional would be retained for each call.
    let faults: FaultGate
    private let recordsSpans: Bool
    /// Not optional, because an optional would be retained for each call.
    private let callBinding: CallBinding
    /// Whether the spans have a ``SpanBinding``.
    let hasBinding: Bool

    init(
        _ probe: any ClientProbe,
        _ component: ComponentDescriptor,
        clock: TimeSource,
        gate: BreakerGate,
        spans: ClientSpans?,
        faults: FaultGate?
    ) {
        self.faults = faults ?? .none
        self.spans = spans?.probe ?? NoSpans.probe
        instance = spans?.instance ?? 0
        recordsSpans = spans != nil
        callBinding = spans?.callBinding ?? .never
        hasBinding = spans?.probe.binding != nil
        self.probe = probe
        self.component = component
        self.clock = clock
        self.gate = gate
    }

    /// Whether a call that begins now binds a span. The others record theirs at the end, which costs a third.
    @inline(__always)
    var bindsSpans: Bool { callBinding.isOn }

    /// - Throws: `CircuitError` if a breaker does not admit the action, which is then reported as refused.
    func begin(_ action: ActionType) throws(CircuitError) -> ClientCall {
        let start = clock.now
        let permits: BreakerPermits
        do {
            permits = try gate.admit(at: start)
        } catch {
            refuse(action, error, as: .breakerRefusal, at: start)
            throw error
        }
        let caseIndex = action.caseIndex
        probe.began(caseIndex: caseIndex)
        return ClientCall(start: start, caseIndex: caseIndex, permits: permits)
    }

    /// Reports an action that was refused before it began: by a circuit breaker, its validation or its schedule.
    @inline(never)
    func refuse(
        _ action: ActionType,
        _ error: any Error,
        as kind: SpanKind = .clientAction,
        at start: Instant? = nil
    ) {
        ErrorTrail.noteFailure(error, from: component)
        let caseIndex = action.caseIndex
        probe.refused(caseIndex: caseIndex)
        if recordsSpans { record(nil, kind, caseIndex, start ?? clock.now, 0, .rejected, error) }
    }

    /// Begins the span of an action, and returns what the tasks of the action inherit.
    @inline(__always)
    func beginSpan(_ call: borrowing ClientCall) -> (OpenSpan, OperationContext) {
        // Read once, because each reading of a task-local value costs about 10 ns.
        var context = OperationContext.inherited
        let span = spans.begin(.clientAction, .action(call.caseIndex), at: call.start, under: context.span)
        context.span = span.context
        return (span, context)
    }

    /// Whether the wait for the actor is timed. This applies to about one action in ``ComponentOperation/sampling``,
    /// chosen by the low digits of the clock. A counter would be a word that all threads write to.
    @inline(__always)
    func timesWait(_ call: borrowing ClientCall) -> Bool {
        (UInt64(bitPattern: call.start.nanoseconds) &* 0x9E37_79B9_7F4A_7C15) >> 58 == 0
    }

    /// Whether nothing is done on the client's actor before the action: its wait is not timed, and no faults are injected.
    @inline(__always)
    func isDirect(_ call: borrowing ClientCall) -> Bool { !timesWait(call) && !faults.isSet }

    /// Runs an action on the client's actor, and reads the clock there when the action ends.
    ///
    /// A parameter isolates it to the client. If it were isolated to the wrapper, with the client's executor, it would
    /// look up the wrapper's metadata for each action. Nothing is read before the call, so that only the client's function
    /// enters the actor.
    ///
    /// - Throws: The error of the client.
    @inline(__always)
    func run<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        on client: isolated C,
        _ passage: inout ClientPassage
    ) async throws -> ActionType.Answer {
        defer { passage.end = clock.now }
        return try await client.process(action)
    }

    /// The same for any action. Reads the clock on entry if `timesEntry` is set.
    @inline(never)
    func run<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        on client: isolated C,
        timesEntry: Bool,
        _ passage: inout ClientPassage
    ) async throws -> ActionType.Answer {
        if timesEntry { passage.entry = clock.now }
        defer { passage.end = clock.now }
        if faults.isSet { try await faults.pass(component, clock: clock) }
        return try await client.process(action)
    }

    /// Runs `body` within `context` and the values that the spans bind.
    nonisolated(nonsending) func bind<R>(
        _ context: OperationContext,
        _ body: nonisolated(nonsending) () async throws -> R
    ) async throws -> R {
        try await context.bindInCaller(with: spans, body)
    }

    /// Runs any action within `context` and the values that the spans bind. Apart, so that other actions cost nothing more.
    @inline(never)
    nonisolated(nonsending) func runBound<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        on client: C,
        in context: OperationContext,
        timesEntry: Bool,
        _ passage: inout ClientPassage
    ) async throws -> ActionType.Answer {
        try await context.bindInCaller(with: spans) {
            try await run(action, on: client, timesEntry: timesEntry, &passage)
        }
    }

    /// Reports an action that has left the actor.
    @inline(__always)
    func end(_ call: inout ClientCall, _ passage: ClientPassage, _ span: OpenSpan? = nil) {
        if let error = passage.error { return fail(&call, error, passage, span) }
        if let entry = passage.entry { probe.waited(nanoseconds: entry.nanoseconds(since: call.start)) }
        let (start, caseIndex) = (call.start, call.caseIndex)
        let nanoseconds = passage.end.nanoseconds(since: start)
        gate.settle(&call.permits, nil, at: passage.end)
        if recordsSpans {
            let action = EndedAction(caseIndex: caseIndex, instance: instance, start: start, nanoseconds: nanoseconds)
            spans.succeeded(action, in: span)
        }
        probe.ended(caseIndex: caseIndex, outcome: .success, nanoseconds: nanoseconds)
    }

    @inline(never)
    private func record(
        _ span: OpenSpan?,
        _ kind: SpanKind,
        _ caseIndex: Int,
        _ start: Instant,
        _ nanoseconds: Int64,
        _ outcome: ActionOutcome,
        _ error: (any Error)?
    ) {
        let record = SpanRecord(
            kind,
            .action(caseIndex),
            instance: instance,
            start: start,
            nanoseconds: nanoseconds,
            outcome: outcome,
            error: error
        )
        if let span { spans.end(span, record) } else { spans.record(record) }
    }

    @inline(never)
    private func fail(_ call: inout ClientCall, _ error: any Error, _ passage: ClientPassage, _ span: OpenSpan?) {
        let (start, caseIndex, end) = (call.start, call.caseIndex, passage.end)
        if let entry = passage.entry { probe.waited(nanoseconds: entry.nanoseconds(since: start)) }
        gate.settle(&call.permits, error, at: end)
        ErrorTrail.noteFailure(error, from: component, at: end)
        let (outcome, nanoseconds) = (ActionOutcome(ofError: error), end.nanoseconds(since: start))
        if recordsSpans { record(span, .clientAction, caseIndex, start, nanoseconds, outcome, error) }
        probe.ended(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }
}
