// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase

/// Finds the operation that held the main actor.
///
/// Work that was seen while it ran, up to its first suspension, is certain. After a suspension nothing is noted, because
/// that would cost each call of a client. The spans then show it: of all operations, the one that held the main actor
/// neither called nor awaited a client or capability until the hang was over.
struct HangAttribution {
    private let recorder: FlightRecorder
    /// Those that may overlap the hangs.
    private let spans: [SpanWords]

    /// - Parameter start: The start of the earliest hang.
    init(_ recorder: FlightRecorder, from start: Instant) {
        self.recorder = recorder
        spans = recorder.spans(endingFrom: start)
    }

    /// The cause of a hang as it is known now; nil if no operation is found.
    func culprit(of entry: HangLog.Entry) -> MainActorHang.Culprit? {
        if let known = recorder.names.describe(entry.work) {
            let trace = span(of: entry).map { recorder.traceID(of: $0.trace) }
            return MainActorHang.Culprit(
                component: known.component,
                name: known.name,
                trace: trace,
                isSure: entry.isSure
            )
        }
        guard !entry.hang.isLasting, let likely = likely(entry.hang),
            let span = recorder.names.describe([likely], TraceNames(recorder)).first,
            let component = span.component
        else { return nil }
        return MainActorHang.Culprit(component: component, name: span.name, trace: span.trace, isSure: false)
    }

    /// The ended span of work that was seen; of several runs, that of the longest.
    private func span(of entry: HangLog.Entry) -> SpanWords? {
        let (start, end) = (entry.hang.start.nanoseconds, entry.hang.end.nanoseconds)
        return spans.filter { entry.work.matches($0) && $0.start <= end && $0.end >= start }
            .max { $0.nanoseconds < $1.nanoseconds }
    }

    /// The span of the operation that ran on its own throughout the hang, and stopped doing so when the hang ended; of
    /// several, the one that stopped last.
    private func likely(_ hang: MainActorHang) -> SpanWords? {
        let (start, end) = (hang.start.nanoseconds, hang.end.nanoseconds)
        let slack = hang.nanoseconds / 5
        let calls = spans.filter { $0.kind == .clientAction || $0.kind == .capabilityCall }
        let waits = Dictionary(grouping: calls, by: \.trace)
        var found: (span: SpanWords, until: Int64)?
        for span in spans where Self.isOperation(span) && span.start <= start + slack && span.end >= end - slack {
            guard let piece = Self.piece(of: span, around: start + hang.nanoseconds / 2, waits[span.trace] ?? []),
                piece.lowerBound <= start + slack, (end - slack...end + Self.tolerance).contains(piece.upperBound)
            else { continue }
            let isLater = found.map { ($0.until, $0.span.start) < (piece.upperBound, span.start) } ?? true
            if isLater { found = (span, piece.upperBound) }
        }
        return found?.span
    }

    /// How much later than the answer of the probe the end of an operation may be read: the main actor runs the probe
    /// after the operation.
    private static let tolerance: Int64 = 1_000_000

    private static func isOperation(_ span: SpanWords) -> Bool {
        span.kind == .contextAction || span.kind == .lifecyclePhase
    }

    /// The part of a span around `time` in which it did not await a client or capability; nil if it did at `time`.
    private static func piece(of span: SpanWords, around time: Int64, _ waits: [SpanWords]) -> ClosedRange<Int64>? {
        var (from, until) = (span.start, span.end)
        for wait in waits where wait.start >= span.start && wait.end <= span.end {
            if wait.start <= time, wait.end >= time { return nil }
            if wait.end < time { from = max(from, wait.end) } else { until = min(until, wait.start) }
        }
        return from <= until ? from...until : nil
    }
}
