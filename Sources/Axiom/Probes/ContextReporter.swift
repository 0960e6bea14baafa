// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Reports the actions and phases of one context type to its probe. Bound once for each type.
final class ContextReporter: Sendable {
    let probe: any ContextProbe
    /// Nil if nothing records spans.
    let spans: (any SpanProbe)?

    init(_ probe: any ContextProbe, spans: (any SpanProbe)? = nil) {
        self.probe = probe
        self.spans = spans
    }

    func actionEnded(
        _ caseIndex: Int,
        _ outcome: ActionOutcome,
        since start: Instant,
        _ clock: TimeSource,
        _ span: ContextSpan?,
        _ error: (any Error)?
    ) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        span?.end(.contextAction, .action(caseIndex), outcome, error, nanoseconds: nanoseconds)
        probe.actionEnded(caseIndex: caseIndex, outcome: outcome, nanoseconds: nanoseconds)
    }

    func phaseEnded(
        _ phase: LifecyclePhase,
        _ outcome: ActionOutcome,
        since start: Instant,
        _ clock: TimeSource,
        _ span: ContextSpan?,
        _ error: (any Error)?
    ) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        span?.end(.lifecyclePhase, .text(phase.rawValue), outcome, error, nanoseconds: nanoseconds)
        probe.phaseEnded(phase, nanoseconds: nanoseconds)
    }

    /// Reports a phase that had no children.
    func phaseEnded(_ phase: LifecyclePhase, since start: Instant, _ clock: TimeSource, instance: UInt64) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        if let spans {
            let kind = phase == .render ? SpanKind.render : .lifecyclePhase
            let name = SpanRecord.Name.text(phase.rawValue)
            spans.record(SpanRecord(kind, name, instance: instance, start: start, nanoseconds: nanoseconds))
        }
        probe.phaseEnded(phase, nanoseconds: nanoseconds)
    }

    func operationEnded(_ operation: ComponentOperation, nanoseconds: Int64) {
        probe.operationEnded(operation, nanoseconds: nanoseconds)
    }

    func operationEnded(_ operation: ComponentOperation, since start: Instant, _ clock: TimeSource) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        if operation == .taskStartup, let spans {
            spans.record(SpanRecord(.mainActorWait, .kind, start: start, nanoseconds: nanoseconds))
        }
        probe.operationEnded(operation, nanoseconds: nanoseconds)
    }
}

/// The open span of an action or of a phase of one context instance.
struct ContextSpan: Sendable {
    let operation: RecordedOperation
    private let span: OpenSpan

    /// Begins a span; nil if nothing records spans.
    init?(
        _ reporter: ContextReporter?,
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        at start: Instant?,
        instance: UInt64
    ) {
        guard let spans = reporter?.spans, let start else { return nil }
        span = spans.begin(kind, name, at: start)
        operation = RecordedOperation(probe: spans, span: span.context, instance: instance)
    }

    /// The id of the span.
    var id: UInt64 { operation.span.span }

    /// Runs the part of the operation before its first suspension, noted as what the main actor runs.
    @MainActor
    func runs<R>(_ work: MainActorWork, _ body: () -> R) -> R {
        let previous = operation.probe.enter(work, operation.span)
        defer { operation.probe.leave(previous) }
        return body()
    }

    fileprivate func end(
        _ kind: SpanKind,
        _ name: SpanRecord.Name,
        _ outcome: ActionOutcome,
        _ error: (any Error)?,
        nanoseconds: Int64
    ) {
        let record = SpanRecord(
            kind,
            name,
            instance: operation.instance,
            start: span.start,
            nanoseconds: nanoseconds,
            outcome: outcome,
            error: outcome == .success ? nil : error
        )
        operation.probe.end(span, record)
    }
}
