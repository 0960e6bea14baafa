// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
package import AxiomInstrumentation

// The activity and the traces of a process as JSON documents, as `Dashboards/web/PROTOCOL.md` describes them. Each one reads the
// flight recorder when it is requested, and waits for no thread that records a span.
extension Dashboard {
    /// The most spans of a trace in one document.
    private static let spanLimit = 1_000
    /// The most kept traces in one list.
    private static let traceLimit = 1_000
    /// The most activities and traces of an export, and the most spans of each of its traces.
    private static let exported = (activities: 300, traces: 100, spans: 300)

    /// The latest activities that a query selects. Cost: some milliseconds.
    package func activity(_ query: ActivityQuery) -> [UInt8] {
        let (spans, origin) = (readings.knownSpans, origin)
        return origin.document("axiom/activity") { json in
            json.member("recorded", spans?.counts.recorded ?? 0)
            json.member("dropped") { json in
                json.object { json in
                    json.member("overwritten", spans?.counts.overwritten ?? 0)
                    json.member("displaced", spans?.counts.displaced ?? 0)
                    json.member("contended", spans?.counts.contended ?? 0)
                }
            }
            json.member("activity") { write(activities(query, spans), of: spans, origin, to: &$0) }
        }.bytes
    }

    /// The roots of the kept traces.
    package func traces() -> [UInt8] {
        let (spans, origin) = (readings.knownSpans, origin)
        return origin.document("axiom/traces") { json in
            json.member("traces") { json in
                write(Array((spans?.keptRoots ?? []).prefix(Self.traceLimit)), of: spans, origin, to: &json)
            }
        }.bytes
    }

    /// A trace with its log records; nil if none of its spans is known.
    package func trace(_ id: TraceID) -> [UInt8]? {
        guard let spans = readings.knownSpans, let trace = spans.trace(id) else { return nil }
        var json = JSONText(capacity: 1 << 14)
        let writer = TraceWriter(spans: spans, readings: readings, grid: origin.grid, limit: Self.spanLimit)
        writer.write(trace, readings.logRecords.records(of: id), to: &json)
        return json.bytes
    }

    /// The snapshot of version 2: with the latest activities, the kept traces, and the profile of the last minute if one is made.
    package func exportedSnapshot() -> [UInt8] {
        var (query, lists) = (ActivityQuery(), JSONText(capacity: 1 << 16))
        query.limit = Self.exported.activities
        let (spans, origin) = (readings.knownSpans, origin)
        lists.member("activity") { write(activities(query, spans), of: spans, origin, to: &$0) }
        lists.member("traces") { json in
            guard let spans else { return json.raw("[]" as StaticString) }
            let logs = Dictionary(grouping: readings.logRecords.all, by: \.trace)
            let writer = TraceWriter(spans: spans, readings: readings, grid: origin.grid, limit: Self.exported.spans)
            // Two requests of one remote trace are one document.
            var written: Set<TraceID> = []
            let traces = spans.keptTraces(Self.exported.traces).filter { written.insert($0.id).inserted }
            json.list(traces) { writer.write(spans.trace($1.id) ?? $1, logs[$1.id] ?? [], to: &$0) }
        }
        lists.member("explanations") { writeExplanations(spans, origin.grid, to: &$0) }
        // Who waits for a snapshot waits for no program that reads debug information.
        var lastMinute = ProfileQuery()
        lastMinute.hasLines = false
        if let profile = try? profile(lastMinute) { lists.member("profile", json: profile) }
        let data = snapshot(with: lists)
        return state.withLock { $0.model.occurrences }.adding(to: data)
    }

    private func activities(_ query: ActivityQuery, _ spans: KnownSpans?) -> [Span] {
        guard let spans else { return [] }
        var filter = ActivityFilter(query, spans)
        return spans.latest(query.limit, of: SpanKind.activities) { filter.accepts($0) }
    }

    private func write(_ written: [Span], of spans: KnownSpans?, _ origin: DocumentOrigin, to json: inout JSONText) {
        let writer = spans.map { SpanWriter(written, of: $0, origin.grid) }
        json.list(written) { json, span in writer?.writeActivity(span, to: &json) }
    }
}
