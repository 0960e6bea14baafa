// SPDX-License-Identifier: Apache-2.0

package import Axiom
internal import AxiomBase

/// A copy of all spans that a recorder knows, from both stores. Each span occurs once.
///
/// Cost: some milliseconds for 4 MiB. Making it delays no thread that records a span; a thread that keeps a trace, or that
/// records a name or an error, may wait for some microseconds.
package struct KnownSpans: Sendable {
    private struct Kept {
        let reason: KeepReason
        /// The number of spans that were kept.
        var count = 0
        /// Whether its spans were not held while it was open.
        var isPartial = false

        var isWhole: Bool { !isPartial && count <= TraceTable.plainCapacity }
    }

    /// What was recorded, and what of it is no longer known.
    package let counts: SpanCounts
    private let traceNames: TraceNames
    private let isOrdered: Bool
    private let names: SpanNames.Tables
    /// The span that ended last comes first.
    private let spans: [SpanWords]
    /// The spans with errors, by their parents; of each parent, the one that ended last comes first.
    private let failures: [UInt64: [SpanWords]]
    /// By the low half of the trace id.
    private let kept: [UInt64: Kept]
    /// Spans that began later than this are all known.
    private let horizon: Int64

    init(_ recorder: FlightRecorder) {
        var (ids, kept): (Set<UInt64>, [UInt64: Kept]) = ([], [:])
        var (spans, keptSpans): ([SpanWords], [SpanWords]) = ([], [])
        for trace in recorder.kept.all {
            var facts = kept[trace.id] ?? Kept(reason: trace.reason)
            facts.count += trace.spans.count
            facts.isPartial = facts.isPartial || trace.spans.contains(where: \.isPartial)
            kept[trace.id] = facts
            for span in trace.spans where ids.insert(span.span).inserted { keptSpans.append(span) }
        }
        recorder.ring.readEach { if !ids.contains($0.span) { spans.append($0) } }
        spans.append(contentsOf: keptSpans)
        spans.sort { ($0.end, $0.start, $0.span) > ($1.end, $1.start, $1.span) }
        failures = Dictionary(grouping: spans.filter { $0.error != 0 && $0.parent != 0 }, by: \.parent)
        counts = recorder.counts
        (traceNames, isOrdered) = (TraceNames(recorder), recorder.isOrdered)
        names = recorder.names.tables
        horizon = recorder.ring.horizon
        (self.spans, self.kept) = (spans, kept)
    }

    // MARK: - Activity

    package var count: Int { spans.count }

    /// At most `limit` spans of these kinds that `matches` accepts, the one that ended last first.
    package func latest(_ limit: Int, of kinds: Set<SpanKind>, where matches: (Span) -> Bool) -> [Span] {
        var found: [Span] = []
        for words in spans where kinds.contains(words.kind) {
            guard found.count < limit else { break }
            let span = describe(words)
            if matches(span) { found.append(span) }
        }
        return found
    }

    /// Why a trace was kept; nil if it was not.
    package func reason(_ trace: TraceID) -> KeepReason? {
        traceNames.traces(trace).lazy.compactMap { kept[$0]?.reason }.first
    }

    /// The known parents of these spans, by their ids.
    package func parents(of children: [Span]) -> [UInt64: Span] {
        let wanted = Set(children.compactMap(\.parent))
        guard !wanted.isEmpty else { return [:] }
        let found = spans.lazy.filter { wanted.contains($0.span) }.map { ($0.span, describe($0)) }
        return Dictionary(found) { first, _ in first }
    }

    /// The components in which the errors of these spans arose, by the ids of the spans. A span is missing if its error
    /// may have come from a span that is no longer known.
    package func origins(of failed: [Span]) -> [UInt64: ComponentDescriptor] {
        var origins: [UInt64: ComponentDescriptor] = [:]
        for span in failed where span.error != nil {
            // Follows the failed child with the same error. Of several, the last one caused the failure.
            var (id, component, start) = (span.id, span.component, span.start.nanoseconds)
            while let cause = failures[id]?.first(where: { names.error($0.error) == span.error }) {
                (id, component, start) = (cause.span, names.component(cause.component), cause.start)
            }
            if traceNames.traces(span.trace).allSatisfy({ isWhole($0, since: start) }) {
                origins[span.id] = component
            }
        }
        return origins
    }

    private func describe(_ words: SpanWords) -> Span { names.describe(words, traceNames) }

    /// Whether no span of the trace that began later than `start` can be missing.
    private func isWhole(_ trace: UInt64, since start: Int64) -> Bool {
        start > horizon || kept[trace]?.isWhole ?? false
    }
}

// MARK: - Traces

package struct KnownTrace: Sendable {
    package let id: TraceID
    /// Each parent is before its children, and each span directly before the spans that it caused.
    package let spans: [Span]
    /// Nil if the trace is only in the ring, or its root has not ended.
    package let keptFor: KeepReason?
    /// Whether the root has ended, and every span that ended before it is known.
    package let isComplete: Bool

    /// The span without a parent; nil while it runs, and if it was dropped.
    package var root: Span? { spans.first { $0.parent == nil } }
}

extension KnownSpans {
    /// A trace; nil if none of its spans is known.
    package func trace(_ id: TraceID) -> KnownTrace? {
        let known = traceNames.traces(id)
        let found = spans.filter { known.contains($0.trace) }
        return found.first.map { trace($0.trace, found) }
    }

    /// The roots of the kept traces, the one that ended last first.
    package var keptRoots: [Span] {
        spans.lazy.filter { $0.parent == 0 && kept[$0.trace] != nil }.map(describe)
    }

    /// The kept traces whose roots are known, the latest first, at most `limit`.
    package func keptTraces(_ limit: Int) -> [KnownTrace] {
        let ids = spans.lazy.filter { $0.parent == 0 && kept[$0.trace] != nil }.prefix(limit).map(\.trace)
        let wanted = Set(ids)
        let byTrace = Dictionary(grouping: spans.lazy.filter { wanted.contains($0.trace) }, by: \.trace)
        return ids.compactMap { id in byTrace[id].map { trace(id, $0) } }
    }

    private func trace(_ id: UInt64, _ found: [SpanWords]) -> KnownTrace {
        let (sorted, orphans) = inOrder(found)
        let isWhole = found.first { $0.parent == 0 }.map { self.isWhole(id, since: $0.start) } ?? false
        return KnownTrace(
            id: traceNames.id(of: id),
            spans: sorted.map(describe),
            keptFor: kept[id]?.reason,
            isComplete: isWhole && orphans == 0
        )
    }

    /// Sorts the spans of a trace: each one is directly before those that it caused, and siblings are in the order of their
    /// start. Of those with the same start, the longer one is first, or the one that began first if the ids tell it.
    ///
    /// - Returns: The spans, and how many have a parent that is not known.
    private func inOrder(_ spans: [SpanWords]) -> (sorted: [SpanWords], orphans: Int) {
        let latestFirst = spans.sorted {
            isOrdered
                ? ($0.start, $0.span) > ($1.start, $1.span)
                : ($0.start, $1.end, $0.span) > ($1.start, $0.end, $1.span)
        }
        let ids = Set(spans.map(\.span))
        // The next one is the last one.
        var waiting = latestFirst.filter { !ids.contains($0.parent) }
        let orphans = waiting.count { $0.parent != 0 }
        let children = Dictionary(grouping: latestFirst.filter { ids.contains($0.parent) }, by: \.parent)
        var sorted: [SpanWords] = []
        while let span = waiting.popLast() {
            sorted.append(span)
            waiting.append(contentsOf: children[span.span] ?? [])
        }
        return (sorted, orphans)
    }
}

// MARK: - Operations

/// A span, and what it caused.
package struct SpanTree: Sendable {
    package let span: Span
    /// A number of its kind, its component and its name: equal numbers mean that these are equal.
    package let subject: UInt64
    /// The span that caused it, past retries, with its subject; nil if none did, if it has not ended, or if it was dropped.
    /// Only that of the first span is known.
    package let caller: (span: Span, subject: UInt64)?
    /// In the order of their start.
    package let steps: [SpanTree]
}

extension KnownSpans {
    /// How far down an operation is read.
    private static let depth = 8

    /// The latest operations whose spans are all known, the one that began first first: those that began when the ring had
    /// no gap. Older ones are known only if they were slow or failed, so that they are no sample. Rejected ones did not run,
    /// and are left out. Cost: some milliseconds for 5,000.
    ///
    /// - Parameters:
    ///   - limit: The most operations.
    ///   - isWanted: Of the name of the component, and that of the action or call. It is asked once for each.
    package func operations(_ limit: Int, where isWanted: (_ component: String, _ name: String) -> Bool) -> [SpanTree] {
        var (answers, found): ([UInt64: Bool], [SpanWords]) = ([:], [])
        for words in spans where words.start > horizon && words.kind.isWork && words.outcome != .rejected {
            guard found.count < limit else { break }
            let component = names.component(words.component)?.name
            let answer =
                answers[words.subject] ?? component.map { isWanted($0, describe(words).name) } ?? false
            answers[words.subject] = answer
            if answer { found.append(words) }
        }
        let traces = Set(found.map(\.trace))
        let related = spans.filter { traces.contains($0.trace) }
        let known = Dictionary(related.map { ($0.span, $0) }) { first, _ in first }
        let children = Dictionary(grouping: related.filter { $0.parent != 0 }, by: \.parent)
        return found.sorted { ($0.start, $0.span) < ($1.start, $1.span) }.map { words in
            var caller = known[words.parent]
            while let parent = caller, [.retryAttempt, .recoveryStep].contains(parent.kind) {
                caller = known[parent.parent]
            }
            return tree(words, by: caller, children, depth: Self.depth)
        }
    }

    private func tree(
        _ words: SpanWords,
        by caller: SpanWords? = nil,
        _ children: [UInt64: [SpanWords]],
        depth: Int
    ) -> SpanTree {
        let steps = depth > 0 ? children[words.span] ?? [] : []
        return SpanTree(
            span: describe(words),
            subject: words.subject,
            caller: caller.map { (describe($0), $0.subject) },
            steps: steps.sorted { ($0.start, $0.span) < ($1.start, $1.span) }.map {
                tree($0, children, depth: depth - 1)
            }
        )
    }
}
