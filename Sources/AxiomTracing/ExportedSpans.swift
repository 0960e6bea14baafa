// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import Tracing

/// Records the spans of one component type, and exports each of them.
final class ExportedSpans<T: Tracer>: SpanProbe {
    private let recorder: any SpanProbe
    private let labels: SpanLabels
    private let exporter: TracerExporter<T>

    init(_ recorder: any SpanProbe, _ labels: SpanLabels, _ exporter: TracerExporter<T>) {
        self.recorder = recorder
        self.labels = labels
        self.exporter = exporter
    }

    var binding: (any SpanBinding)? { exporter }

    func begin(
        _ kind: Axiom.SpanKind,
        _ name: SpanRecord.Name,
        at start: Instant,
        under parent: SpanContext
    ) -> OpenSpan {
        let span = recorder.begin(kind, name, at: start, under: parent)
        exporter.begin(span, under: parent, labels.operation(kind, name))
        return span
    }

    func end(_ span: OpenSpan, _ record: SpanRecord) {
        recorder.end(span, record)
        exporter.end(span, record, labels)
    }

    func record(_ record: SpanRecord) {
        recorder.record(record)
        exporter.export(record, labels)
    }

    @MainActor
    func enter(_ work: MainActorWork, _ span: SpanContext) -> UInt64 { recorder.enter(work, span) }

    @MainActor
    func leave(_ previous: UInt64) { recorder.leave(previous) }

    @MainActor
    func label(of work: MainActorWork) -> SpanContext? { recorder.label(of: work) }
}

extension SpanLabels {
    /// The name of a span in a tracer, such as `CartClient.add`: unlike that of a recorded span, it has to say what it
    /// belongs to.
    func operation(_ kind: Axiom.SpanKind, _ name: SpanRecord.Name) -> String {
        let name = self.name(kind, name)
        return component.map { "\($0.name).\(name)" } ?? name
    }
}

extension SpanAttributes {
    /// Adds what is recorded about a span. Values have few different values each, except for the instance.
    mutating func describe(_ record: SpanRecord, _ labels: SpanLabels) {
        if let component = labels.component {
            self["axiom.component"] = component.name
            self["axiom.component.kind"] = component.kind.rawValue
        }
        self["axiom.action"] = labels.name(record.kind, record.name)
        self["axiom.kind"] = record.kind.name
        self["axiom.outcome"] = record.outcome.rawValue
        if record.instance != 0 { self["axiom.instance"] = Int(truncatingIfNeeded: record.instance) }
        if let error = record.error, record.outcome != .success {
            let described = SpanError(error)
            self["error.type"] = described.type
            if let code = described.code { self["axiom.error.code"] = code }
        }
    }
}
