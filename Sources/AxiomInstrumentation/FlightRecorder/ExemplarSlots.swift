// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// The histograms that have spans as exemplars. Each of their buckets is a slot, which has a number.
struct ExemplarSlots: Sendable {
    private struct Target {
        let histogram: ExponentialHistogram
        let firstSlot: Int
    }

    /// By the kind, the component and the name of a span, as the upper bits of its `what`.
    private var indices: [UInt64: Int] = [:]
    private var targets: [Target] = []
    private(set) var count = 0

    private static func key(_ kind: SpanKind, component: UInt64, name: UInt64) -> UInt64 {
        name << 24 | component << 8 | UInt64(kind.rawValue)
    }

    /// Adds a histogram of the durations of spans with these numbers, once.
    mutating func add(_ kind: SpanKind, component: UInt64, name: UInt64, _ histogram: ExponentialHistogram) {
        let key = Self.key(kind, component: component, name: name)
        guard indices[key] == nil else { return }
        indices[key] = targets.count
        targets.append(Target(histogram: histogram, firstSlot: count))
        count += histogram.exemplarBucketCount
    }

    /// The slot of a span; nil if no histogram contains its duration.
    func slot(of span: SpanWords) -> Int? {
        // A rejected action is in no histogram.
        guard let index = indices[span.what >> 8], span.outcome != .rejected else { return nil }
        let target = targets[index]
        return target.firstSlot + target.histogram.exemplarBucket(of: Double(span.nanoseconds) / 1e9)
    }

    /// The histogram of a slot. Cost: a binary search.
    func histogram(_ slot: Int) -> ExponentialHistogram {
        var range = 0..<targets.count
        while range.count > 1 {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = targets[middle].firstSlot <= slot ? middle..<range.upperBound : range.lowerBound..<middle
        }
        return targets[range.lowerBound].histogram
    }
}

/// The spans that may become exemplars: for each slot the best one in a kept trace, and the slowest one that is only in the
/// ring.
struct ExemplarCandidates {
    struct Candidate {
        let span: UInt64
        let trace: UInt64
        let nanoseconds: Int64
        let end: Int64
        /// Whether its trace was kept for a reason other than an exemplar.
        let isNotable: Bool
    }

    /// The best candidate of each slot that has one: most have none.
    struct Best {
        private var indices: [Int32]
        private var candidates: [Candidate] = []

        init(slots: Int) { indices = Array(repeating: -1, count: slots) }

        subscript(slot: Int) -> Candidate? { indices[slot] < 0 ? nil : candidates[Int(indices[slot])] }

        mutating func set(_ slot: Int, _ candidate: Candidate) {
            if indices[slot] < 0 {
                indices[slot] = Int32(candidates.count)
                candidates.append(candidate)
            } else {
                candidates[Int(indices[slot])] = candidate
            }
        }
    }

    private let slots: ExemplarSlots
    /// The earliest end of a span that is recent.
    private let since: Int64
    /// By slot: the end of the exemplar that was shown last.
    private let shownEnds: [Int64]
    private var kept: Best
    private var inRing: Best

    init(_ slots: ExemplarSlots, since: Int64, shownEnds: [Int64]) {
        self.slots = slots
        self.since = since
        self.shownEnds = shownEnds
        kept = Best(slots: slots.count)
        inRing = kept
    }

    /// Considers a span of a kept trace.
    mutating func consider(_ span: SpanWords, _ reason: KeepReason) {
        guard let slot = slot(of: span) else { return }
        let isNotable = reason != .exemplar
        if let best = kept[slot] {
            guard (isNotable ? 1 : 0, span.nanoseconds) > (best.isNotable ? 1 : 0, best.nanoseconds) else { return }
        }
        kept.set(slot, Candidate(span, isNotable: isNotable))
    }

    /// Considers a span that is only in the ring.
    mutating func consider(inRing span: SpanWords) {
        guard let slot = slot(of: span), span.nanoseconds > inRing[slot]?.nanoseconds ?? -1 else { return }
        inRing.set(slot, Candidate(span, isNotable: false))
    }

    /// The slot of a span that may be its exemplar: one that is recent, and did not end before the exemplar that was shown
    /// last. Prometheus rejects exemplars of a series that are older than the last one.
    private func slot(of span: SpanWords) -> Int? {
        guard span.end >= since, let slot = slots.slot(of: span), span.end >= shownEnds[slot] else { return nil }
        return slot
    }

    /// The spans in the ring that are better exemplars than those of kept traces, the slowest first.
    var wanted: [Candidate] {
        (0..<slots.count).compactMap { slot in
            guard let inRing = inRing[slot] else { return nil }
            guard let kept = kept[slot] else { return inRing }
            return !kept.isNotable && inRing.nanoseconds > kept.nanoseconds ? inRing : nil
        }
        .sorted { $0.nanoseconds > $1.nanoseconds }
    }

    /// The exemplar of each slot; `saved` are the wanted spans whose traces are kept now.
    func choose(_ saved: Set<UInt64>) -> [(slot: Int, candidate: Candidate)] {
        (0..<slots.count).compactMap { slot in
            if let candidate = inRing[slot], saved.contains(candidate.span) { return (slot, candidate) }
            return kept[slot].map { (slot, $0) }
        }
    }
}

extension ExemplarCandidates.Candidate {
    fileprivate init(_ span: SpanWords, isNotable: Bool) {
        self.init(
            span: span.span,
            trace: span.trace,
            nanoseconds: span.nanoseconds,
            end: span.end,
            isNotable: isNotable
        )
    }
}
