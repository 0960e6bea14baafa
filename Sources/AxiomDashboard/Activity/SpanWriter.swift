// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// Writes spans as JSON.
struct SpanWriter {
    private let spans: KnownSpans
    private let grid: TimeGrid
    private let parents: [UInt64: Span]
    private let origins: [UInt64: ComponentDescriptor]

    /// - Parameters:
    ///   - written: The spans that will be written.
    ///   - trace: The spans of their trace; nil if they are from several traces.
    init(_ written: [Span], in trace: [Span]? = nil, of spans: KnownSpans, _ grid: TimeGrid) {
        (self.spans, self.grid) = (spans, grid)
        parents = trace.map { Dictionary($0.map { ($0.id, $0) }) { first, _ in first } } ?? spans.parents(of: written)
        origins = spans.origins(of: written)
    }

    /// An object with every field of a span.
    func writeActivity(_ span: Span, to json: inout JSONText) {
        write(span, to: &json) { json in
            json.raw(",\"trace\":" as StaticString)
            json.string("\(span.trace)")
        }
    }

    /// The same without the trace, and with the span's budget.
    func writeStep(_ span: Span, budget: (name: String, limit: Double)?, to json: inout JSONText) {
        write(span, to: &json) { json in
            json.raw(",\"budget\":" as StaticString)
            guard let budget else { return json.raw("null" as StaticString) }
            json.raw("{\"name\":" as StaticString)
            json.string(budget.name)
            json.raw(",\"limit\":" as StaticString)
            json.number(budget.limit)
            json.raw("}" as StaticString)
        }
    }

    private func write(_ span: Span, to json: inout JSONText, _ more: (inout JSONText) -> Void) {
        json.raw("{\"id\":" as StaticString)
        json.string(TraceID.hex(span.id))
        more(&json)
        json.text(",\"parent\":", span.parent.map(TraceID.hex))
        json.text(",\"kind\":", span.kind.name)
        json.text(",\"component\":", span.component?.name.clipped())
        json.text(",\"componentKind\":", span.component?.kind.rawValue)
        json.text(",\"name\":", span.name.clipped())
        json.raw(",\"instance\":" as StaticString)
        json.raw(span.instance == 0 ? "null" : "\(span.instance)")
        json.raw(",\"start\":" as StaticString)
        json.number(grid.seconds(span.start))
        json.raw(",\"seconds\":" as StaticString)
        json.number(span.seconds)
        json.text(",\"outcome\":", span.outcome.rawValue)
        json.raw(",\"error\":" as StaticString)
        writeError(of: span, to: &json)
        json.raw(",\"by\":" as StaticString)
        writeParent(of: span, to: &json)
        json.text(",\"kept\":", spans.reason(span.trace)?.rawValue)
        json.raw("}" as StaticString)
    }

    /// The code is that of the row in `errors`.
    private func writeError(of span: Span, to json: inout JSONText) {
        guard let error = span.error else { return json.raw("null" as StaticString) }
        json.text("{\"code\":", (error.code ?? error.type).clipped())
        json.text(",\"type\":", error.type.clipped())
        json.text(",\"origin\":", origins[span.id]?.name.clipped())
        json.raw("}" as StaticString)
    }

    private func writeParent(of span: Span, to json: inout JSONText) {
        guard let parent = span.parent.flatMap({ parents[$0] }) else { return json.raw("null" as StaticString) }
        json.text("{\"component\":", parent.component?.name.clipped())
        json.text(",\"name\":", parent.name.clipped())
        json.raw("}" as StaticString)
    }
}

extension Span {
    /// The duration.
    var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension String {
    /// The text as it is written in rows: cut off after ``Value/textLimit`` bytes.
    func clipped() -> String { clipped(Value.textLimit) }
}

extension JSONText {
    /// `key`, and the text or null.
    mutating func text(_ key: StaticString, _ text: String?) {
        raw(key)
        if let text { string(text) } else { raw("null" as StaticString) }
    }
}
