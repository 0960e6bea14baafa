// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation

/// Writes a trace with its log records as JSON.
struct TraceWriter {
    let spans: KnownSpans
    let readings: Readings
    let grid: TimeGrid
    /// The most spans. The first ones are written, so that each parent of a written span is written.
    let limit: Int

    func write(_ trace: KnownTrace, _ logs: [LogRecord], to json: inout JSONText) {
        let written = Array(trace.spans.prefix(limit))
        let omitted = trace.spans.count - written.count
        let writer = SpanWriter(written, in: trace.spans, of: spans, grid)
        json.object { json in
            json.member("schema", "axiom/trace")
            json.member("version", 1)
            json.member("id", "\(trace.id)")
            json.member("kept", trace.keptFor?.rawValue)
            json.member("start", trace.start.map(grid.seconds))
            json.member("seconds", trace.seconds)
            json.member("complete", .flag(trace.isComplete && omitted == 0))
            json.member("omitted", omitted)
            json.member("spans") { json in
                json.list(written) { writer.writeStep($1, budget: readings.budget(of: $1), to: &$0) }
            }
            json.member("logs") { json in json.list(logs) { write($1, to: &$0) } }
        }
    }

    private func write(_ record: LogRecord, to json: inout JSONText) {
        json.object { json in
            json.member("at", grid.seconds(record.time))
            json.member("level", record.level)
            json.member("label", record.label)
            json.member("message", record.message)
            json.member("metadata") { $0.texts(record.metadata.sorted { $0.key < $1.key }) }
            json.member("span", record.span.map(TraceID.hex))
            json.member("component", record.component?.clipped())
            json.member("action", record.action?.clipped())
        }
    }
}

extension KnownTrace {
    /// The root began first, if it is known.
    fileprivate var start: Instant? { root?.start ?? spans.map(\.start).min() }

    /// The duration of the root; without it, of what is known.
    fileprivate var seconds: Double? {
        if let root { return root.seconds }
        guard let start, let end = spans.map(\.end).max() else { return nil }
        return end.seconds(since: start)
    }
}
