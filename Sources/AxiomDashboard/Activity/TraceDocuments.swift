// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// The activity and the traces of a process as JSON documents, as `Dashboards/web/PROTOCOL.md` describes them. Each one
/// reads the flight recorder when it is requested.
struct TraceDocuments {
    /// Nil without telemetry.
    let readings: Readings?
    let origin: DocumentOrigin

    /// The most spans of a trace in one document.
    private static let spanLimit = 1_000
    /// The most kept traces in one list.
    private static let traceLimit = 1_000
    /// The most activities and traces of an export, and the most spans of each of its traces.
    private static let exported = (activities: 300, traces: 100, spans: 300)

    func activity(_ query: ActivityQuery) -> [UInt8] {
        let spans = readings?.knownSpans
        return origin.document("axiom/activity") { json in
            json.member("recorded", spans?.counts.recorded ?? 0)
            json.member("dropped") { json in
                json.object { json in
                    json.member("overwritten", spans?.counts.overwritten ?? 0)
                    json.member("displaced", spans?.counts.displaced ?? 0)
                    json.member("contended", spans?.counts.contended ?? 0)
                }
            }
            json.member("activity") { write(spans.map { activities(query, $0) } ?? [], of: spans, to: &$0) }
        }.bytes
    }

    /// The roots of the kept traces.
    func traces() -> [UInt8] {
        let spans = readings?.knownSpans
        return origin.document("axiom/traces") { json in
            json.member("traces") { json in
                write(Array((spans?.keptRoots ?? []).prefix(Self.traceLimit)), of: spans, to: &json)
            }
        }.bytes
    }

    /// A trace; nil if none of its spans is known.
    func trace(_ id: TraceID) -> [UInt8]? {
        guard let readings, let spans = readings.knownSpans, let trace = spans.trace(id) else { return nil }
        var json = JSONText(capacity: 1 << 14)
        let writer = TraceWriter(spans: spans, readings: readings, grid: origin.grid, limit: Self.spanLimit)
        writer.write(trace, readings.logRecords.records(of: id), to: &json)
        return json.bytes
    }

    /// The members that an export has beside those of a snapshot.
    var exportedLists: JSONText {
        var (query, json) = (ActivityQuery(), JSONText(capacity: 1 << 16))
        query.limit = Self.exported.activities
        let spans = readings?.knownSpans
        json.member("activity") { write(spans.map { activities(query, $0) } ?? [], of: spans, to: &$0) }
        json.member("traces") { writeExportedTraces(of: spans, to: &$0) }
        return json
    }

    private func writeExportedTraces(of spans: KnownSpans?, to json: inout JSONText) {
        guard let readings, let spans else { return json.raw("[]" as StaticString) }
        let logs = Dictionary(grouping: readings.logRecords.all, by: \.trace)
        let writer = TraceWriter(spans: spans, readings: readings, grid: origin.grid, limit: Self.exported.spans)
        json.list(spans.keptTraces(Self.exported.traces)) { writer.write($1, logs[$1.id] ?? [], to: &$0) }
    }

    private func activities(_ query: ActivityQuery, _ spans: KnownSpans) -> [Span] {
        var filter = ActivityFilter(query, spans)
        return spans.latest(query.limit, of: SpanKind.activities) { filter.accepts($0) }
    }

    private func write(_ written: [Span], of spans: KnownSpans?, to json: inout JSONText) {
        let writer = spans.map { SpanWriter(written, of: $0, origin.grid) }
        json.list(written) { json, span in writer?.writeActivity(span, to: &json) }
    }
}
