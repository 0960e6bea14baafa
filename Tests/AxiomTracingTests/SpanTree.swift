// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import InMemoryTracing
import Tracing

/// A span and those below it, without ids, so that two records of the same operations can be compared.
struct SpanTree: Hashable, Comparable, CustomStringConvertible {
    let name: String
    let kind: String
    let outcome: String
    /// Nanoseconds since the start of the root.
    let start: Int64
    let nanoseconds: Int64
    let children: [SpanTree]

    static func < (left: SpanTree, right: SpanTree) -> Bool {
        (left.start, left.nanoseconds, left.name, left.kind) < (right.start, right.nanoseconds, right.name, right.kind)
    }

    var description: String {
        "\(name) \(kind) \(outcome) \(start)+\(nanoseconds)" + (children.isEmpty ? "" : " \(children)")
    }

    /// All names, each below the name of its parent.
    var names: String { name + (children.isEmpty ? "" : "(\(children.map(\.names).joined(separator: " ")))") }
}

extension SpanTree {
    /// The tree of a recorded trace; nil without a root.
    init?(_ trace: KnownTrace) {
        guard let root = trace.root else { return nil }
        let children = Dictionary(grouping: trace.spans) { $0.parent ?? 0 }
        self.init(root, children, since: root.start.nanoseconds)
    }

    private init(_ span: AxiomInstrumentation.Span, _ children: [UInt64: [AxiomInstrumentation.Span]], since: Int64) {
        name = span.component.map { "\($0.name).\(span.name)" } ?? span.name
        kind = span.kind.name
        outcome = span.outcome.rawValue
        start = span.start.nanoseconds - since
        nanoseconds = span.nanoseconds
        self.children = children[span.id, default: []].map { SpanTree($0, children, since: since) }.sorted()
    }

    /// The tree below a span of a tracer.
    init(_ span: FinishedInMemorySpan, among spans: [FinishedInMemorySpan], since: UInt64? = nil) {
        let begun = span.startInstant.nanosecondsSinceEpoch
        name = span.operationName
        kind = span.text("axiom.kind") ?? "application"
        outcome = span.text("axiom.outcome") ?? "none"
        start = Int64(begun) - Int64(since ?? begun)
        nanoseconds = Int64(span.endInstant.nanosecondsSinceEpoch) - Int64(begun)
        children = spans.filter { $0.parentSpanID == span.spanID }
            .map { SpanTree($0, among: spans, since: since ?? begun) }.sorted()
    }
}

extension FinishedInMemorySpan {
    /// The value of an attribute that is a text.
    func text(_ name: String) -> String? {
        if case .string(let text) = attributes.get(name) { text } else { nil }
    }
}

extension TracedApp {
    /// The tree that the tracer has of a recorded trace; nil if it is not there exactly once.
    nonisolated func exportedTree(_ trace: KnownTrace) -> SpanTree? {
        let spans = tracer.finishedSpans
        let roots = spans.filter { span in
            span.text("axiom.trace_id") == trace.id.description
                && span.text("axiom.span_id") == trace.root.map { TraceID.hex($0.id) }
        }
        return roots.count == 1 ? SpanTree(roots[0], among: spans) : nil
    }
}
#endif
