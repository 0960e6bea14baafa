// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase

/// The action that changed a state.
package struct StateCause: Sendable, Hashable {
    package let trace: TraceID
    /// Nil while the action runs, and if its span was dropped before it was read.
    package let component: ComponentDescriptor?
    /// The case of the action.
    package let action: String?
}

/// An update whose cause is wanted.
struct CauselessUpdate: Sendable {
    let client: ComponentDescriptor
    let at: Instant
    let span: SpanContext
}

extension FlightRecorder {
    /// The actions that made updates, in the same order; nil where nothing is known. Reads the recorder once: about 1 ms.
    func causes(of updates: [CauselessUpdate]) -> [StateCause?] {
        let traces = Set(updates.lazy.filter { $0.span.trace != 0 }.map(\.span.trace))
        let clients = Set(updates.lazy.filter { $0.span.isNone }.map { self.names.number(of: $0.client) })
        var found: [UInt64: SpanWords] = [:]
        func take(_ span: SpanWords) {
            let isAlone = span.parent == 0 && span.kind == .clientAction && clients.contains(UInt64(span.component))
            if isAlone || traces.contains(span.trace) { found[span.span] = span }
        }
        ring.readEach(take)
        for trace in kept.all where traces.contains(trace.id) { trace.spans.forEach(take) }
        let spans = names.describe(found.values, TraceNames(self))
        let byTrace = Dictionary(grouping: spans, by: \.trace)
        let alone = spans.filter { $0.parent == nil && $0.kind == .clientAction }
        return updates.map { update in
            guard !update.span.isNone else { return Self.only(alone, update) }
            return cause(of: update, byTrace[traceID(of: update.span.trace)] ?? [])
        }
    }

    /// The client's action that ran at that time in the span of the update, or else the span itself.
    private func cause(of update: CauselessUpdate, _ spans: [Span]) -> StateCause {
        let trace = traceID(of: update.span.trace)
        let actions = spans.filter { span in
            span.kind == .clientAction && span.component == update.client && span.covers(update.at)
                && (span.id == update.span.span || span.parent == update.span.span)
        }
        let span = actions.max { $0.start < $1.start } ?? spans.first { $0.id == update.span.span }
        return StateCause(trace: trace, component: span?.component, action: span?.name)
    }

    /// The action of an update that ran outside of any span, if no other ran at that time.
    private static func only(_ spans: [Span], _ update: CauselessUpdate) -> StateCause? {
        let actions = spans.filter { $0.component == update.client && $0.covers(update.at) }
        guard actions.count == 1, let span = actions.first else { return nil }
        return StateCause(trace: span.trace, component: span.component, action: span.name)
    }
}

extension Span {
    fileprivate func covers(_ instant: Instant) -> Bool { start <= instant && instant <= end }
}
