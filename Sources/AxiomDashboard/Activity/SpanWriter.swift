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
        write(span, to: &json) { $0.member("trace", "\(span.trace)") }
    }

    /// The same without the trace, and with the span's budget.
    func writeStep(_ span: Span, budget: (name: String, limit: Double)?, to json: inout JSONText) {
        write(span, to: &json) { json in
            json.member("budget") { json in
                Self.write(budget, to: &json) { json, budget in
                    json.member("name", budget.name)
                    json.member("limit", budget.limit)
                }
            }
        }
    }

    private func write(_ span: Span, to json: inout JSONText, _ more: (inout JSONText) -> Void) {
        json.object { json in
            json.member("id", TraceID.hex(span.id))
            more(&json)
            json.member("parent", span.parent.map(TraceID.hex))
            json.member("kind", span.kind.name)
            json.member("component", span.component?.name.clipped())
            json.member("componentKind", span.component?.kind.rawValue)
            json.member("name", span.name.clipped())
            json.member("instance", span.instance == 0 ? .none : .count(span.instance))
            json.member("start", grid.seconds(span.start))
            json.member("seconds", span.seconds)
            json.member("outcome", span.outcome.rawValue)
            json.member("error") { writeError(of: span, to: &$0) }
            json.member("by") { writeParent(of: span, to: &$0) }
            json.member("kept", spans.reason(span.trace)?.rawValue)
        }
    }

    /// The code is that of the row in `errors`.
    private func writeError(of span: Span, to json: inout JSONText) {
        Self.write(span.error, to: &json) { json, error in
            json.member("code", (error.code ?? error.type).clipped())
            json.member("type", error.type.clipped())
            json.member("origin", origins[span.id]?.name.clipped())
        }
    }

    private func writeParent(of span: Span, to json: inout JSONText) {
        Self.write(span.parent.flatMap { parents[$0] }, to: &json) { json, parent in
            json.member("component", parent.component?.name.clipped())
            json.member("name", parent.name.clipped())
        }
    }

    /// An object; null for nil.
    private static func write<Wrapped>(
        _ value: Wrapped?,
        to json: inout JSONText,
        _ members: (inout JSONText, Wrapped) -> Void
    ) {
        guard let value else { return json.raw("null" as StaticString) }
        json.object { members(&$0, value) }
    }
}

extension Span {
    /// The duration.
    var seconds: Double { Double(nanoseconds) / 1e9 }
}

extension String {
    /// The text as it is written in rows: cut off after ``RowValue/textLimit`` bytes.
    func clipped() -> String { clipped(RowValue.textLimit) }
}
