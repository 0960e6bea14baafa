// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomPush

/// Writes traces as `ExportTraceServiceRequest` messages. Attributes are those of `Telemetry.exportSpans`.
///
/// The messages are those of
/// https://github.com/open-telemetry/opentelemetry-proto/blob/main/opentelemetry/proto/trace/v1/trace.proto
struct SpanMessages: Sendable {
    /// A request is closed when it has this many spans or more. No trace is divided.
    static let spansPerRequest = 512

    let resource: Resource

    /// The requests for traces.
    ///
    /// - Parameter offset: What added to an instant gives nanoseconds since 1970.
    func requests(_ traces: [KnownTrace], offset: Int64) -> [PushBatch] {
        var batches: [PushBatch] = []
        var open: [KnownTrace] = []
        var count = 0
        for trace in traces {
            open.append(trace)
            count += trace.spans.count
            if count >= Self.spansPerRequest || trace.id == traces.last?.id {
                batches.append(request(open, offset))
                (open, count) = ([], 0)
            }
        }
        return batches
    }

    private func request(_ traces: [KnownTrace], _ offset: Int64) -> PushBatch {
        let spans = traces.flatMap { trace in
            trace.spans.map { span in
                var buffer = ExpositionBuffer(capacity: 0)
                write(span, trace, offset, &buffer)
                return ScopedElement(bytes: buffer.bytes)
            }
        }
        return resource.request(spans[...])
    }

    private func write(_ span: Span, _ trace: KnownTrace, _ offset: Int64, _ buffer: inout ExpositionBuffer) {
        buffer.putField(1, bytes: trace.id.high.bigEndianBytes + trace.id.low.bigEndianBytes)
        buffer.putField(2, bytes: span.id.bigEndianBytes)
        if let parent = span.parent ?? span.remoteParent { buffer.putField(4, bytes: parent.bigEndianBytes) }
        buffer.putField(5, text: span.component.map { "\($0.name).\(span.name)" } ?? span.name)
        // SPAN_KIND_INTERNAL
        buffer.putField(6, varint: 1)
        buffer.putField(7, fixed64: UInt64(max(0, span.start.nanoseconds &+ offset)))
        buffer.putField(8, fixed64: UInt64(max(0, span.end.nanoseconds &+ offset)))
        writeAttributes(span, trace, &buffer)
        if span.outcome == .failure || span.outcome == .rejected {
            // STATUS_CODE_ERROR
            buffer.putField(15) { $0.putField(3, varint: 2) }
        }
    }

    private func writeAttributes(_ span: Span, _ trace: KnownTrace, _ buffer: inout ExpositionBuffer) {
        if let component = span.component {
            buffer.putAttribute(9, "axiom.component", component.name)
            buffer.putAttribute(9, "axiom.component.kind", component.kind.rawValue)
        }
        buffer.putAttribute(9, "axiom.action", span.name)
        buffer.putAttribute(9, "axiom.kind", span.kind.name)
        buffer.putAttribute(9, "axiom.outcome", span.outcome.rawValue)
        if span.instance != 0 {
            buffer.putAttribute(9, "axiom.instance", integer: Int64(truncatingIfNeeded: span.instance))
        }
        if let error = span.error {
            buffer.putAttribute(9, "error.type", error.type)
            if let code = error.code { buffer.putAttribute(9, "axiom.error.code", code) }
        }
        if span.parent == nil, let reason = trace.keptFor {
            buffer.putAttribute(9, "axiom.kept_for", reason.rawValue)
        }
    }
}
