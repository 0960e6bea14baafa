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

/// The spans of a tracer that have been started and not ended, by the ids of the recorded spans.
///
/// It holds one entry for each open span that has or can have children.
final class OpenSpanTable<Span: Tracing.Span>: Sendable {
    struct Entry: Sendable {
        let span: Span
        /// What is bound while the span runs.
        let context: ServiceContext
    }

    /// Ids are spread evenly, so their low bits choose the shard.
    private let shards: [Shard] = (0..<16).map { _ in Shard() }

    private final class Shard: Sendable {
        /// Guarded by its lock. Entries are freed outside of it.
        let entries = Lock<[UInt64: Entry]>([:])
    }

    func insert(_ id: UInt64, _ entry: Entry) {
        shard(id).entries.withLock { $0[id] = entry }
    }

    /// Removes the entry of a span, so that it is ended once.
    func remove(_ id: UInt64) -> Entry? {
        shard(id).entries.withLock { $0.removeValue(forKey: id) }
    }

    /// The context of an open span; nil if it has ended.
    func context(of id: UInt64) -> ServiceContext? {
        shard(id).entries.withLock { $0[id]?.context }
    }

    private func shard(_ id: UInt64) -> Shard {
        shards[Int(id & 15)]
    }
}
