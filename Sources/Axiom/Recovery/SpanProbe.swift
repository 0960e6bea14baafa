// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
internal import Synchronization

/// What a span measures.
package enum SpanKind: UInt8, Sendable, Hashable, CaseIterable {
    /// From ``Context/send(_:)`` to the end of the action, recovery included.
    case contextAction
    /// A call of a client's `process`.
    case clientAction
    /// ``CapabilityRef/call(isolation:function:_:)``.
    case capabilityCall
    /// One notification of a context: it appeared, disappeared, or the application changed its phase.
    case lifecyclePhase
    /// A state was offered to the subscribers of a client. It has no duration.
    case statePublished
    /// From a change of observed state to the end of the rendering that shows it.
    case render
    /// A further run of a failed operation.
    case retryAttempt
    /// A remedy of a recovery strategy.
    case recoveryStep
    /// A circuit breaker refused an action. It has no duration.
    case breakerRefusal
    /// From the creation of a context's observation to its first turn on the main actor.
    case mainActorWait
    /// Work that the application named.
    case custom
    /// A request, from its arrival at an ``Endpoint`` to its end.
    case request
    /// A wait of 1 ms or more: for a connection of a pool or a load of a cache.
    case wait
}

/// What happened within a span, apart from its place in the trace.
package struct SpanRecord {
    /// What the span is called.
    package enum Name {
        /// The index of an action's case, which may be invalid.
        case action(Int)
        /// The name of its kind.
        case kind
        /// The name of a call of a capability, as ``CapabilityRef/call(_:isolation:_:)`` takes it.
        case call(StaticString)
        /// One of a limited set of names.
        case text(String)
    }

    /// Shorter waits have no span: it would take more time than it explains.
    package static let shortestWait: Int64 = 1_000_000

    package let kind: SpanKind
    package let name: Name
    /// The number of the component instance; 0 if unknown.
    package let instance: UInt64
    package let start: Instant
    package let nanoseconds: Int64
    package let outcome: ActionOutcome
    package let error: (any Error)?

    package init(
        _ kind: SpanKind,
        _ name: Name,
        instance: UInt64 = 0,
        start: Instant,
        nanoseconds: Int64,
        outcome: ActionOutcome = .success,
        error: (any Error)? = nil
    ) {
        self.kind = kind
        self.name = name
        self.instance = instance
        self.start = start
        self.nanoseconds = nanoseconds
        self.outcome = outcome
        self.error = error
    }
}

/// What happened within the span of a client's action that succeeded: a ``SpanRecord`` that takes no time to copy and destroy.
package struct EndedAction: Sendable {
    /// The index of the action's case, which may be invalid.
    package let caseIndex: Int
    package let instance: UInt64
    package let start: Instant
    package let nanoseconds: Int64
}

/// A span that has begun and is bound, so that other spans can be its children.
package struct OpenSpan: Sendable {
    /// What the children inherit.
    package let context: SpanContext
    /// The id of the parent; 0 for the root of a trace.
    package let parent: UInt64
    package let start: Instant

    package init(_ context: SpanContext, parent: UInt64, start: Instant) {
        self.context = context
        self.parent = parent
        self.start = start
    }
}

/// Records the spans of one component type. Bound once for each type.
///
/// The calls come concurrently from any thread and are part of the cost of each action: record and return. A class, so
/// that recording copies nothing.
package protocol SpanProbe: AnyObject, Sendable {
    /// Begins a span that will have children. It must be ended once, with the same kind and name.
    ///
    /// - Parameter parent: ``SpanContext/none`` for the root of a new trace.
    func begin(
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        at start: Instant,
        under parent: SpanContext
    ) -> OpenSpan

    /// Ends a span that was begun. If it is the root, its trace is complete.
    func end(_ span: OpenSpan, _ record: SpanRecord)

    /// Records a span that had no children. Its parent is the span of the calling task.
    func record(_ record: SpanRecord)

    /// Ends the span of a client's action that succeeded, or records it if `span` is nil. By default it calls ``end(_:_:)`` or
    /// ``record(_:)``.
    func succeeded(_ action: EndedAction, in span: OpenSpan?)

    /// Binds more task-local values wherever a span of this probe is bound. Nil, the default, if there are none.
    var binding: (any SpanBinding)? { get }

    /// Whether the calls of all clients bind a span now, also of clients without capabilities. Default: never.
    var callBinding: CallBinding { get }

    /// Notes that the main actor begins to run work of the component without a suspension.
    ///
    /// - Parameter span: The span of the work; ``SpanContext/none`` if it has none yet.
    /// - Returns: The note of the work that it interrupts, for ``leave(_:)``.
    @MainActor func enter(_ work: MainActorWork, _ span: SpanContext) -> UInt64

    /// Notes that the work has returned or suspended, so that the main actor continues the work before it.
    @MainActor func leave(_ previous: UInt64)

    /// What to bind while work without a span runs, so that samples have it as their label; nil if a span is open or no profiler
    /// is attached. Default: nil.
    @MainActor func label(of work: MainActorWork) -> SpanContext?
}

/// Whether calls bind a span. Relaxed, because it orders nothing else: a call that begins together with a change may miss it.
package final class CallBinding: Sendable {
    package static let (always, never) = (CallBinding(true), CallBinding(false))

    private let value: Atomic<Bool>

    package init(_ isOn: Bool) { value = Atomic(isOn) }

    /// Cost: one relaxed load.
    @inline(__always)
    package var isOn: Bool { value.load(ordering: .relaxed) }

    package func set(_ isOn: Bool) { value.store(isOn, ordering: .relaxed) }
}

/// Work of a context that runs on the main actor.
package enum MainActorWork: Sendable, Hashable {
    /// The index of an action's case, which may be invalid.
    case action(Int)
    /// A phase of the life cycle.
    case phase(LifecyclePhase)
    /// The closure of an observation, which takes a state.
    case observation
}

extension SpanProbe {
    package var binding: (any SpanBinding)? { nil }
    package var callBinding: CallBinding { .never }

    package func succeeded(_ action: EndedAction, in span: OpenSpan?) {
        let (start, nanoseconds) = (action.start, action.nanoseconds)
        let name = SpanRecord.Name.action(action.caseIndex)
        let ended = SpanRecord(.clientAction, name, instance: action.instance, start: start, nanoseconds: nanoseconds)
        if let span { end(span, ended) } else { record(ended) }
    }

    package func enter(_ work: MainActorWork, _ span: SpanContext) -> UInt64 { 0 }
    package func leave(_ previous: UInt64) {}
    package func label(of work: MainActorWork) -> SpanContext? { nil }

    /// Begins a span under the span of the calling task.
    package func begin(_ kind: SpanKind, _ name: SpanRecord.Name, at start: Instant) -> OpenSpan {
        begin(kind, name, at: start, under: OperationContext.currentSpan)
    }
}

/// The span of an operation of a context, and what records further spans of it.
struct RecordedOperation: Sendable {
    let probe: any SpanProbe
    let span: SpanContext
    let instance: UInt64

    /// Records `body` as a step of the operation. What `body` does has the step as parent.
    ///
    /// - Parameter trail: The trail that `body` runs with; nil for that of the calling task.
    func step<R>(
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        _ clock: TimeSource,
        trail: ErrorTrail? = nil,
        isolation: isolated (any Actor)? = #isolation,
        _ body: () async throws -> R
    ) async throws -> R {
        var context = OperationContext.current
        let parent = context.span.trace == span.trace ? context.span : span
        let step = probe.begin(kind, name, at: clock.now, under: parent)
        context.span = step.context
        if let trail { context.trail = trail }
        do {
            let result = try await context.bind(with: probe, isolation: isolation, body)
            end(step, kind, name, clock, nil)
            return result
        } catch {
            end(step, kind, name, clock, error)
            throw error
        }
    }

    private func end(
        _ step: OpenSpan,
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        _ clock: TimeSource,
        _ error: (any Error)?
    ) {
        let record = SpanRecord(
            kind,
            name,
            instance: instance,
            start: step.start,
            nanoseconds: clock.now.nanoseconds(since: step.start),
            outcome: error.map(ActionOutcome.init(ofError:)) ?? .success,
            error: error
        )
        probe.end(step, record)
    }
}
