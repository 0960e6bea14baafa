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

    /// Begins an operation of a context, and reads the clock.
    func begin(_ work: MainActorWork, of instance: UInt64, _ clock: TimeSource) -> ContextOperation {
        ContextOperation(work, instance: instance, start: clock.now, self)
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

/// An operation of a context that is under way and observed: an action, or a phase of its life.
struct ContextOperation: Sendable {
    private let reporter: ContextReporter
    private let work: MainActorWork
    private let instance: UInt64
    private let start: Instant
    /// Nil if nothing records spans.
    private let span: OpenSpan?

    fileprivate init(_ work: MainActorWork, instance: UInt64, start: Instant, _ reporter: ContextReporter) {
        self.reporter = reporter
        self.work = work
        self.instance = instance
        self.start = start
        span = reporter.spans?.begin(work.spanKind, work.spanName, at: start)
    }

    /// The span of the operation, for its steps; nil if nothing records spans.
    var recorded: RecordedOperation? {
        guard let span, let spans = reporter.spans else { return nil }
        return RecordedOperation(probe: spans, span: span.context, instance: instance)
    }

    /// Runs the part of the operation before its first suspension, noted as what the main actor runs.
    @MainActor
    func runs<R>(_ body: () -> R) -> R {
        guard let span, let spans = reporter.spans else { return body() }
        let previous = spans.enter(work, span.context)
        defer { spans.leave(previous) }
        return body()
    }

    func end(_ end: OperationEnd, _ clock: TimeSource) {
        let nanoseconds = clock.now.nanoseconds(since: start)
        if let span {
            let record = SpanRecord(
                work.spanKind,
                work.spanName,
                instance: instance,
                start: start,
                nanoseconds: nanoseconds,
                outcome: end.outcome,
                error: end.error
            )
            reporter.spans?.end(span, record)
        }
        switch work {
        case .action(let caseIndex):
            reporter.probe.actionEnded(caseIndex: caseIndex, outcome: end.outcome, nanoseconds: nanoseconds)
        case .phase(let phase): reporter.probe.phaseEnded(phase, nanoseconds: nanoseconds)
        case .observation: break
        }
    }
}

extension MainActorWork {
    fileprivate var spanKind: SpanKind {
        switch self {
        case .action: .contextAction
        case .phase, .observation: .lifecyclePhase
        }
    }

    fileprivate var spanName: SpanRecord.Name {
        switch self {
        case .action(let caseIndex): .action(caseIndex)
        case .phase(let phase): .text(phase.rawValue)
        case .observation: .kind
        }
    }
}
