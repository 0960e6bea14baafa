// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import Tracing

/// Starts and ends the spans of one telemetry in a tracer.
///
/// Generic over the tracer, so that its spans are stored without a box.
final class TracerExporter<T: Tracer>: SpanExporter {
    private let tracer: T
    /// The id under which other processes know a trace.
    private let traceID: @Sendable (UInt64) -> TraceID
    private let clock: EpochClock
    private let open = OpenSpanTable<T.Span>()

    fileprivate init(_ tracer: T, traceID: @escaping @Sendable (UInt64) -> TraceID, clock: TimeSource) {
        self.tracer = tracer
        self.traceID = traceID
        self.clock = EpochClock(clock)
    }

    func probe(recordingWith recorder: any SpanProbe, _ labels: SpanLabels) -> any SpanProbe {
        ExportedSpans(recorder, labels, self)
    }

    /// Starts a span that will have children.
    func begin(_ span: OpenSpan, under parent: SpanContext, _ name: String) {
        if span.parent == 0 { clock.adjust(at: span.start) }
        let started = start(name, under: parent, at: span.start)
        var context = started.context
        context[RecordedSpanKey.self] = span.context.span
        open.insert(span.context.span, OpenSpanTable.Entry(span: started, context: context))
    }

    /// Ends a span that was started.
    func end(_ span: OpenSpan, _ record: SpanRecord, _ labels: SpanLabels) {
        guard let entry = open.remove(span.context.span) else { return }
        finish(entry.span, record, labels) { attributes in
            attributes["axiom.trace_id"] = traceID(span.context.trace).description
            attributes["axiom.span_id"] = TraceID.hex(span.context.span)
        }
    }

    /// Starts and ends a span without children.
    func export(_ record: SpanRecord, _ labels: SpanLabels) {
        let name = labels.operation(record.kind, record.name)
        finish(start(name, under: OperationContext.currentSpan, at: record.start), record, labels) { _ in }
    }

    private func start(_ name: String, under parent: SpanContext, at start: Instant) -> T.Span {
        tracer.startSpan(name, context: context(under: parent), ofKind: .internal, at: clock.time(of: start))
    }

    /// The context in which a span begins whose recorded parent is `parent`.
    ///
    /// `ServiceContext.current` is preferred, because it may be that of a span which the application started below
    /// `parent`. It is not used if it belongs to another recorded span, because the parent was carried to this task.
    private func context(under parent: SpanContext) -> ServiceContext {
        let current = ServiceContext.current
        if parent.isNone || current?[RecordedSpanKey.self] == parent.span { return current ?? .topLevel }
        return open.context(of: parent.span) ?? current ?? .topLevel
    }

    private func finish(
        _ span: T.Span,
        _ record: SpanRecord,
        _ labels: SpanLabels,
        _ ids: (inout SpanAttributes) -> Void
    ) {
        let end = clock.time(of: record.start, after: record.nanoseconds)
        if span.isRecording {
            span.updateAttributes { attributes in
                attributes.describe(record, labels)
                ids(&attributes)
            }
            if record.outcome == .failure || record.outcome == .rejected {
                span.setStatus(SpanStatus(code: .error))
                if let error = record.error { span.recordError(error, attributes: [:], at: end) }
            }
        }
        span.end(at: end)
    }
}

extension TracerExporter: SpanBinding {
    var local: TaskLocal<ServiceContext?> { ServiceContext.$current }

    /// What a task has as `ServiceContext.current` in a span; nil if it is in none.
    func value(in span: SpanContext) -> ServiceContext? {
        span.isNone ? nil : open.context(of: span.span) ?? ServiceContext.current
    }
}

extension Tracer {
    /// The exporter to this tracer.
    func exporter(traceID: @escaping @Sendable (UInt64) -> TraceID, clock: TimeSource) -> any SpanExporter {
        TracerExporter(self, traceID: traceID, clock: clock)
    }
}

/// The id of the recorded span in which a context was bound. It is not sent to other processes.
private enum RecordedSpanKey: ServiceContextKey {
    typealias Value = UInt64

    static let nameOverride: String? = "axiom.recorded-span"
}
