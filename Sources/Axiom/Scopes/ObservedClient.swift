// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import AxiomResilience

/// The client that contexts hold. It calls the client itself, notes errors on the ``ErrorTrail`` and reports actions to
/// a ``ClientProbe``.
///
/// Nothing runs on this actor. `process` starts on the caller's actor and enters the client's actor once, in
/// ``ClientCalls/run(_:on:timesEntry:)``, as a direct call of the client would. The next call is then already on that
/// actor. Actions therefore keep their order, and the timestamps at which an action enters and leaves the actor need no
/// separate entry. The caller records them after it has left the actor.
package actor ObservedClient<Wrapped: StatelessClient>: StatelessClient {
    private let wrapped: Wrapped
    private let component: ComponentDescriptor
    /// False without the trait `Instrumented`, unless a test passes a probe.
    private let isObserved: Bool
    /// Used only if the calls are observed. It is not optional, because an optional would be retained for each call.
    private let calls: ClientCalls<Wrapped.ActionType>

    /// - Parameters:
    ///   - component: The client's descriptor, under which its errors are noted.
    ///   - probe: Receives the calls; nil to report none.
    ///   - spans: Records the calls as spans; nil to record none. Used only with a probe.
    package init(
        _ wrapped: Wrapped,
        _ component: ComponentDescriptor,
        probe: (any ClientProbe)?,
        clock: TimeSource,
        spans: ClientSpans? = nil
    ) {
        self.wrapped = wrapped
        self.component = component
        isObserved = probe != nil
        calls = ClientCalls(probe ?? NoCalls.probe, component, clock: clock, spans: spans)
    }

    package nonisolated(nonsending) func process(_ action: Wrapped.ActionType) async throws {
        guard isObserved else { return try await processUnobserved(action) }
        let call = try calls.begin(action)
        if calls.bindsSpans { return try await processInSpan(action, call) }
        let passage = await calls.run(action, on: wrapped, timesEntry: calls.timesWait(call))
        try calls.end(call, passage)
    }

    /// Binds a span around the action, so that the capabilities that it calls can be its children.
    private nonisolated(nonsending) func processInSpan(
        _ action: Wrapped.ActionType,
        _ call: consuming ClientCalls<Wrapped.ActionType>.Call
    ) async throws {
        // Read once, because each reading of a task-local value costs about 10 ns.
        var context = OperationContext.current
        let (span, timesEntry) = (calls.beginSpan(call, under: context.span), calls.timesWait(call))
        context.span = span.context
        let passage = await OperationContext.$current.withValue(context) {
            await calls.run(action, on: wrapped, timesEntry: timesEntry)
        }
        try calls.end(call, passage, span)
    }

    private nonisolated(nonsending) func processUnobserved(_ action: Wrapped.ActionType) async throws {
        do {
            try await wrapped.process(action)
        } catch {
            ErrorTrail.noteFailure(error, from: component)
            throw error
        }
    }

    package nonisolated func activate() async throws {
        try await wrapped.activate()
    }

    package nonisolated func deactivate() async {
        await wrapped.deactivate()
    }
}

extension ObservedClient: Client where Wrapped: Client {
    package nonisolated var state: Wrapped.StateType {
        get async { await wrapped.state }
    }

    package nonisolated var stateStream: StateStream<Wrapped.StateType> {
        wrapped.stateStream
    }
}

/// Records the calls of one client as spans.
package struct ClientSpans: Sendable {
    let probe: any SpanProbe
    /// The number of the client instance.
    let instance: UInt64
    /// Whether the client can call capabilities, whose spans are children of its own.
    let binds: Bool

    package init(_ probe: any SpanProbe, instance: UInt64, binds: Bool) {
        self.probe = probe
        self.instance = instance
        self.binds = binds
    }
}

/// The recorder of spans that are not recorded.
private final class NoSpans: SpanProbe {
    static let probe = NoSpans()

    func begin(at start: Instant, under parent: SpanContext) -> OpenSpan { OpenSpan(.none, parent: 0, start: start) }
    func end(_ span: OpenSpan, _ record: SpanRecord) {}
    func record(_ record: SpanRecord) {}
}

/// The probe of calls that nothing observes.
private final class NoCalls: ClientProbe {
    static let probe = NoCalls()

    func began(caseIndex: Int) {}
    func ended(caseIndex: Int, outcome: ActionOutcome, nanoseconds: Int64) {}
    func refused(caseIndex: Int) {}
}

/// Surrounds each observed action of a client with admission by the circuit breakers, one clock reading before and one
/// after, and the report to the probe.
///
/// Generic over the action type for speed: the class knows the conformance of that type, which the wrapper would have
/// to look up for every action.
private final class ClientCalls<ActionType: Action>: Sendable {
    /// An action that runs.
    struct Call: ~Copyable {
        let start: Instant
        /// Read once, because reflection takes time.
        let caseIndex: Int
        let permits: BreakerPermits
    }

    /// An action that has left its client's actor.
    struct Passage: Sendable {
        /// When it entered the actor; nil if its wait is not timed.
        let entry: Instant?
        let end: Instant
        /// The error of the client.
        let error: (any Error)?
    }

    private let probe: any ClientProbe
    private let component: ComponentDescriptor
    private let gate: BreakerGate
    private let clock: TimeSource
    /// Not optional, because an optional would be retained for each call.
    private let spans: any SpanProbe
    private let instance: UInt64
    private let recordsSpans: Bool
    /// Whether each call binds a span. The others record theirs at the end, which costs a third.
    let bindsSpans: Bool

    init(_ probe: any ClientProbe, _ component: ComponentDescriptor, clock: TimeSource, spans: ClientSpans?) {
        self.spans = spans?.probe ?? NoSpans.probe
        instance = spans?.instance ?? 0
        recordsSpans = spans != nil
        bindsSpans = spans?.binds ?? false
        self.probe = probe
        self.component = component
        self.clock = clock
        gate = BreakerGate(probe.breakers)
    }

    /// - Throws: `CircuitError` if a breaker does not admit the action, which is then reported as refused.
    func begin(_ action: ActionType) throws(CircuitError) -> Call {
        let start = clock.now
        let permits: BreakerPermits
        do {
            permits = try gate.admit(at: start)
        } catch {
            refuse(action, error, at: start)
            throw error
        }
        let caseIndex = action.caseIndex
        probe.began(caseIndex: caseIndex)
        return Call(start: start, caseIndex: caseIndex, permits: permits)
    }

    @inline(never)
    private func refuse(_ action: ActionType, _ error: CircuitError, at start: Instant) {
        ErrorTrail.current?.note(error, from: component)
        let caseIndex = action.caseIndex
        probe.refused(caseIndex: caseIndex)
        guard recordsSpans else { return }
        spans.record(
            SpanRecord(
                .breakerRefusal,
                .action(caseIndex),
                instance: instance,
                start: start,
                nanoseconds: 0,
                outcome: .rejected,
                error: error
            )
        )
    }

    @inline(__always)
    func beginSpan(_ call: borrowing Call, under parent: SpanContext) -> OpenSpan {
        spans.begin(at: call.start, under: parent)
    }

    /// Whether the wait for the actor is timed. This applies to about one action in ``ComponentOperation/sampling``,
    /// chosen by the low digits of the clock. A counter would be a word that all threads write to.
    @inline(__always)
    func timesWait(_ call: borrowing Call) -> Bool {
        (UInt64(bitPattern: call.start.nanoseconds) &* 0x9E37_79B9_7F4A_7C15) >> 58 == 0
    }

    /// Runs an action on the client's actor. Reads the clock when the action ends, and on entry if `timesEntry` is set.
    ///
    /// A parameter isolates it to the client. If it were isolated to the wrapper, with the client's executor, it would
    /// look up the wrapper's metadata for each action.
    func run<C: StatelessClient<ActionType>>(
        _ action: ActionType,
        on client: isolated C,
        timesEntry: Bool
    ) async -> Passage {
        let entry = timesEntry ? clock.now : nil
        do {
            try await client.process(action)
        } catch {
            return Passage(entry: entry, end: clock.now, error: error)
        }
        return Passage(entry: entry, end: clock.now, error: nil)
    }

    /// Reports an action that has left the actor.
    ///
    /// - Throws: The error of the client.
    @inline(__always)
    func end(_ call: consuming Call, _ passage: Passage, _ span: OpenSpan? = nil) throws {
        if let entry = passage.entry { probe.waited(nanoseconds: entry.nanoseconds(since: call.start)) }
        if let error = passage.error {
            failed(call, error, at: passage.end, span)
            throw error
        }
        let (start, caseIndex) = (call.start, call.caseIndex)
        let nanoseconds = passage.end.nanoseconds(since: start)
        gate.settle(call.permits, nil, at: passage.end)
        if recordsSpans { record(span, caseIndex, start, nanoseconds, .success, nil) }
        probe.ended(caseIndex: caseIndex, outcome: .success, nanoseconds: nanoseconds)
    }

    @inline(__always)
    private func record(
        _ span: OpenSpan?,
        _ caseIndex: Int,
        _ start: Instant,
        _ nanoseconds: Int64,
        _ outcome: ActionOutcome,
        _ error: (any Error)?
    ) {
        let record = SpanRecord(
            .clientAction,
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
    private func failed(_ call: consuming Call, _ error: any Error, at end: Instant, _ span: OpenSpan?) {
        let (start, caseIndex) = (call.start, call.caseIndex)
        gate.settle(call.permits, error, at: end)
        ErrorTrail.noteFailure(error, from: component)
        let (outcome, nanoseconds) = (ActionOutcome(ofError: error), end.nanoseconds(since: start))
        if recordsSpans { record(span, caseIndex, start, nanoseconds, outcome, error) }
        probe.ended(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }
}
