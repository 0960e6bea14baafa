// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// The activity and the traces of a process as JSON documents, as `Dashboards/web/PROTOCOL.md` describes them. Each one
/// reads the flight recorder when it is requested.
struct TraceDocuments {
    /// Nil without telemetry.
    let readings: Readings?
    let instance: String
    let grid: TimeGrid
    /// In seconds since 1970.
    let now: Double

    /// The most spans of a trace in one document.
    private static let spanLimit = 1_000
    /// The most kept traces in one list.
    private static let traceLimit = 1_000
    /// The most activities and traces of an export, and the most spans of each of its traces.
    private static let exported = (activities: 300, traces: 100, spans: 300)

    func activity(_ query: ActivityQuery) -> [UInt8] {
        let spans = readings?.knownSpans
        return document("axiom/activity") { json in
            json.raw(",\"recorded\":" as StaticString)
            json.integer(spans?.counts.recorded ?? 0)
            json.raw(",\"dropped\":{\"overwritten\":" as StaticString)
            json.integer(spans?.counts.overwritten ?? 0)
            json.raw(",\"displaced\":" as StaticString)
            json.integer(spans?.counts.displaced ?? 0)
            json.raw(",\"contended\":" as StaticString)
            json.integer(spans?.counts.contended ?? 0)
            json.raw("},\"activity\":" as StaticString)
            write(spans.map { activities(query, $0) } ?? [], of: spans, to: &json)
        }
    }

    /// The roots of the kept traces.
    func traces() -> [UInt8] {
        let spans = readings?.knownSpans
        return document("axiom/traces") { json in
            json.raw(",\"traces\":" as StaticString)
            write(Array((spans?.keptRoots ?? []).prefix(Self.traceLimit)), of: spans, to: &json)
        }
    }

    /// A trace; nil if none of its spans is known.
    func trace(_ id: TraceID) -> [UInt8]? {
        guard let readings, let spans = readings.knownSpans, let trace = spans.trace(id) else { return nil }
        var json = JSONText(capacity: 1 << 14)
        let writer = TraceWriter(spans: spans, readings: readings, grid: grid, limit: Self.spanLimit)
        writer.write(trace, readings.logRecords.records(of: id), to: &json)
        return json.bytes
    }

    /// What an export has beside the other lists: `,"activity":[…],"traces":[…]`.
    func exportedLists() -> [UInt8] {
        guard let readings, let spans = readings.knownSpans else { return Array(",\"activity\":[],\"traces\":[]".utf8) }
        var (query, json) = (ActivityQuery(), JSONText(capacity: 1 << 16))
        query.limit = Self.exported.activities
        json.raw(",\"activity\":" as StaticString)
        write(activities(query, spans), of: spans, to: &json)
        let logs = Dictionary(grouping: readings.logRecords.all, by: \.trace)
        let writer = TraceWriter(spans: spans, readings: readings, grid: grid, limit: Self.exported.spans)
        json.raw(",\"traces\":" as StaticString)
        json.list(spans.keptTraces(Self.exported.traces)) { json, trace in
            writer.write(trace, logs[trace.id] ?? [], to: &json)
        }
        return json.bytes
    }

    private func activities(_ query: ActivityQuery, _ spans: KnownSpans) -> [Span] {
        var filter = ActivityFilter(query, spans)
        return spans.latest(query.limit, of: SpanKind.activities) { filter.accepts($0) }
    }

    private func write(_ written: [Span], of spans: KnownSpans?, to json: inout JSONText) {
        let writer = spans.map { SpanWriter(written, of: $0, grid) }
        json.list(written) { json, span in writer?.writeActivity(span, to: &json) }
    }

    private func document(_ schema: String, _ write: (inout JSONText) -> Void) -> [UInt8] {
        var json = JSONText(capacity: 1 << 16)
        json.text("{\"schema\":", schema)
        json.raw(",\"version\":1" as StaticString)
        json.text(",\"instance\":", instance)
        json.raw(",\"at\":" as StaticString)
        json.number(now)
        write(&json)
        json.raw("}" as StaticString)
        return json.bytes
    }
}
