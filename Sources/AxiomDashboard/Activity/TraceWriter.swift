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
        json.raw("{\"schema\":\"axiom/trace\",\"version\":1" as StaticString)
        json.text(",\"id\":", "\(trace.id)")
        json.text(",\"kept\":", trace.keptFor?.rawValue)
        json.raw(",\"start\":" as StaticString)
        json.number(trace.start.map(grid.seconds))
        json.raw(",\"seconds\":" as StaticString)
        json.number(trace.seconds)
        json.raw(",\"complete\":" as StaticString)
        json.raw(trace.isComplete && omitted == 0 ? "true" : "false" as StaticString)
        json.raw(",\"omitted\":" as StaticString)
        json.integer(omitted)
        let writer = SpanWriter(written, in: trace.spans, of: spans, grid)
        json.raw(",\"spans\":" as StaticString)
        json.list(written) { json, span in
            writer.writeStep(span, budget: readings.budget(of: span), to: &json)
        }
        json.raw(",\"logs\":" as StaticString)
        json.list(logs) { json, record in write(record, to: &json) }
        json.raw("}" as StaticString)
    }

    private func write(_ record: LogRecord, to json: inout JSONText) {
        json.raw("{\"at\":" as StaticString)
        json.number(grid.seconds(record.time))
        json.text(",\"level\":", record.level)
        json.text(",\"label\":", record.label)
        json.text(",\"message\":", record.message)
        json.raw(",\"metadata\":{" as StaticString)
        for (index, pair) in record.metadata.sorted(by: { $0.key < $1.key }).enumerated() {
            if index > 0 { json.comma() }
            json.string(pair.key)
            json.text(":", pair.value)
        }
        json.text("},\"span\":", record.span.map(TraceID.hex))
        json.text(",\"component\":", record.component?.clipped())
        json.text(",\"action\":", record.action?.clipped())
        json.raw("}" as StaticString)
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
