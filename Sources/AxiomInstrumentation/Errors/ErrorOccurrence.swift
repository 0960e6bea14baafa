// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// One error of a group: when it occurred, what it said, and how it was settled.
package struct ErrorOccurrence: Sendable {
    /// How an error was settled.
    package enum Outcome: String, Sendable, Hashable {
        /// It ended at a boundary.
        case ended
        /// A remedy recovered from it.
        case recovered
        /// The operation was cancelled while a remedy ran.
        case cancelled
    }

    /// The time and the description of the error, and the components that it passed.
    package let sample: ErrorGroup.Sample
    package let outcome: Outcome
    /// Grows with each occurrence of any group.
    package internal(set) var number: UInt64 = 0
    /// The span of the operation; none if it was not recorded.
    let span: SpanContext

    init(_ sample: ErrorGroup.Sample, _ outcome: Outcome, _ span: SpanContext) {
        self.sample = sample
        self.outcome = outcome
        self.span = span
    }
}

/// The latest errors of a group, in bounded memory: at most 20, and at most 8 KiB of descriptions, contexts and chains of causes.
/// With paths and times a log takes at most 15 KiB.
struct OccurrenceLog: Sendable {
    static let capacity = 20
    static let byteLimit = 8_192

    /// The oldest first.
    private(set) var entries: [ErrorOccurrence] = []
    private var bytes = 0

    /// Adds an error, and drops the oldest ones that exceed the limits. The latest is always kept.
    mutating func add(_ occurrence: ErrorOccurrence) {
        if entries.count == Self.capacity { removeOldest() }
        entries.append(occurrence)
        bytes += occurrence.size
        while bytes > Self.byteLimit, entries.count > 1 { removeOldest() }
    }

    private mutating func removeOldest() {
        bytes -= entries.removeFirst().size
    }
}

extension ErrorOccurrence {
    fileprivate var size: Int {
        sample.text.utf8.count + (sample.context?.bytes ?? 0) + (sample.chain?.utf8.count ?? 0)
    }
}

// MARK: - Reading

/// An occurrence with what the recorded spans tell about it.
package struct DescribedOccurrence: Sendable {
    package let occurrence: ErrorOccurrence
    /// Nil if no span was recorded.
    package let trace: TraceID?
    /// The component and the action that failed, such as `CartContext.pay`; nil if the span is no longer known.
    package let action: String?
}

extension ErrorMonitor {
    /// The latest errors of these groups, the latest of each group first. Cost: about 1 ms, to search the recorded spans.
    package func occurrences(of groups: [ErrorGroup]) -> [[DescribedOccurrence]] {
        let ids = groups.flatMap { $0.occurrences.entries.map(\.span.span) }
        let spans = recorder?.spans(Set(ids)) ?? [:]
        return groups.map { group in
            group.occurrences.entries.reversed().map { occurrence in
                let span = occurrence.span
                return DescribedOccurrence(
                    occurrence: occurrence,
                    trace: span.isNone ? nil : recorder?.traceID(of: span.trace),
                    action: spans[span.span].map(\.title)
                )
            }
        }
    }
}

extension Span {
    /// The component and the name of the operation.
    fileprivate var title: String { component.map { "\($0.name).\(name)" } ?? name }
}

extension FlightRecorder {
    /// The spans with these ids that are still known. Cost: about 1 ms.
    fileprivate func spans(_ ids: Set<UInt64>) -> [UInt64: Span] {
        var found: [UInt64: SpanWords] = [:]
        for trace in kept.all {
            for span in trace.spans where ids.contains(span.span) { found[span.span] = span }
        }
        ring.readEach { if ids.contains($0.span) { found[$0.span] = $0 } }
        let described = names.describe(found.values, TraceNames(self))
        return Dictionary(described.map { ($0.id, $0) }) { first, _ in first }
    }
}
