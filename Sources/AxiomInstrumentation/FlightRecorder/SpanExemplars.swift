// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics

/// Finds exemplars for the histograms of durations among the spans of the flight recorder when a page is made. Recording an
/// action costs nothing for them.
///
/// The exemplar of a bucket is an action that ended in the last minute: the slowest one whose trace is kept because it
/// failed, was over budget, was among the slowest of its action or was requested. If there is none, it is the slowest of all,
/// and its trace is kept from then on. So every exemplar names a kept trace. A span whose root has not ended is no exemplar.
final class SpanExemplars: ExemplarSource {
    /// How long after its end an action can be an exemplar, in nanoseconds. The same as the window of the slowest actions.
    static let window = SlowestGate.window
    /// The exemplars of one page: about 100 kB. The slowest are shown.
    static let maximum = 1_000
    /// The traces that one page can keep. With four spans each they take less than half of their share of the memory.
    static let maximumSaved = 250

    /// An exemplar as it was shown last.
    private struct Shown {
        let span: UInt64
        let end: Int64
        let exemplar: Exemplar
    }

    private let recorder: FlightRecorder
    private let clock: TimeSource
    /// Guarded by its lock, which is taken when a component is bound and when a page is made.
    private let slots = Lock(ExemplarSlots())
    /// By slot. Guarded by its lock, which is held during a search. Only searches take it, for 1 to 7 ms with
    /// 4 MiB of spans.
    private let shown = Lock<[Int: Shown]>([:])

    init(_ recorder: FlightRecorder, clock: TimeSource) {
        self.recorder = recorder
        self.clock = clock
    }

    /// Adds the histogram of the durations of these spans.
    func add(_ kind: SpanKind, _ component: ComponentDescriptor, _ name: String, _ histogram: ExponentialHistogram) {
        let (componentNumber, number) = (recorder.names.number(of: component), recorder.names.number(of: name))
        // Components beyond the limit have the number 0, and names beyond the limit share one.
        guard componentNumber > 0, name == SpanNames.other || number != recorder.names.number(of: SpanNames.other)
        else { return }
        slots.withLock { $0.add(kind, component: componentNumber, name: number, histogram) }
    }

    func findExemplars() -> FoundExemplars {
        let slots = slots.withLock { $0 }
        return shown.withLock { shown in
            let now = clock.now.nanoseconds
            let since = now - Self.window
            shown = shown.filter { $0.value.end >= since }
            let chosen = search(slots, since: since, shown)
            // One offset for the whole page. The time of an exemplar that is shown again does not change.
            let offset = clock.secondsSinceEpoch - Double(now) / 1e9
            var found = FoundExemplars()
            for (slot, candidate) in chosen {
                guard let exemplar = exemplar(candidate, known: shown[slot], offset) else { continue }
                shown[slot] = Shown(span: candidate.span, end: candidate.end, exemplar: exemplar)
                found.add(exemplar, to: slots.histogram(slot))
            }
            return found
        }
    }

    /// The best candidates, all in kept traces. Cost: reads the recorder once, or twice if it has to keep traces.
    private func search(
        _ slots: ExemplarSlots,
        since: Int64,
        _ shown: [Int: Shown]
    ) -> [(slot: Int, candidate: ExemplarCandidates.Candidate)] {
        var ends = [Int64](repeating: .min, count: slots.count)
        for (slot, last) in shown { ends[slot] = last.end }
        var candidates = ExemplarCandidates(slots, since: since, shownEnds: ends)
        recorder.kept.readEach { candidates.consider($1, $0) }
        recorder.ring.readEachStamped { span, stamp in
            if stamp & SpanRing.keptBit == 0 { candidates.consider(inRing: span) }
        }
        let wanted = candidates.wanted.prefix(Self.maximumSaved)
        let saved = recorder.keepEnded(Dictionary(grouping: wanted, by: \.trace).mapValues { Set($0.map(\.span)) })
        let chosen = candidates.choose(saved)
        guard chosen.count > Self.maximum else { return chosen }
        return Array(chosen.sorted { $0.candidate.nanoseconds > $1.candidate.nanoseconds }.prefix(Self.maximum))
    }

    private func exemplar(_ candidate: ExemplarCandidates.Candidate, known: Shown?, _ offset: Double) -> Exemplar? {
        if let known, known.span == candidate.span { return known.exemplar }
        let time = offset + Double(candidate.end) / 1e9
        return Exemplar(
            [
                "trace_id": "\(recorder.traceID(of: candidate.trace))",
                "span_id": TraceID.hex(candidate.span),
            ],
            value: Double(candidate.nanoseconds) / 1e9,
            // Prometheus stores milliseconds.
            timestamp: (time * 1e3).rounded() / 1e3
        )
    }
}

extension FlightRecorder {
    /// Keeps traces that are only in the ring, because a page shows a span of theirs as an exemplar. A trace whose root is
    /// not in the ring is left out. Not to be called by two threads at the same time.
    ///
    /// - Parameter wanted: Spans to be kept, by trace. They are kept even if their trace has too many spans.
    /// - Returns: The wanted spans that are kept now.
    fileprivate func keepEnded(_ wanted: [UInt64: Set<UInt64>]) -> Set<UInt64> {
        guard !wanted.isEmpty else { return [] }
        var found: [UInt64: [(span: SpanWords, stamp: UInt64)]] = [:]
        ring.readEachStamped { span, stamp in
            guard stamp & SpanRing.keptBit == 0, wanted[span.trace] != nil else { return }
            found[span.trace, default: []].append((span, stamp))
        }
        var saved: Set<UInt64> = []
        for (trace, spans) in found {
            guard let wanted = wanted[trace], let root = spans.first(where: { $0.span.parent == 0 }) else { continue }
            let others = spans.filter { $0.span.parent != 0 }.sorted { left, right in
                let (isLeft, isRight) = (wanted.contains(left.span.span), wanted.contains(right.span.span))
                return isLeft == isRight ? left.span.start < right.span.start : isLeft
            }
            let added = others.prefix(TraceTable.capacity) + [root]
            kept.keep(.exemplar, root: root.stamp) { add in
                for (span, stamp) in added { add(span, stamp) }
            }
            saved.formUnion(added.lazy.map(\.span.span).filter(wanted.contains))
        }
        return saved
    }
}
