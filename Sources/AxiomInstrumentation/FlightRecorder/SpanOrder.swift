// SPDX-License-Identifier: Apache-2.0

/// The order in which the spans of a trace are shown.
enum SpanOrder {
    /// Sorts the spans by their start, and places a parent before its children even if its clock reading is not before
    /// theirs.
    ///
    /// - Parameters:
    ///   - spans: The spans of a trace by their ids. Parents may be missing.
    ///   - ids: Whether the ids decide between spans with the same start; otherwise the longer span is first.
    static func sorted(_ spans: [UInt64: SpanWords], byID ids: Bool) -> [SpanWords] {
        let byStart = spans.values.sorted {
            ids
                ? ($0.start, $0.span) < ($1.start, $1.span)
                : ($0.start, $1.end, $0.span) < ($1.start, $0.end, $1.span)
        }
        var (sorted, placed): ([SpanWords], Set<UInt64>) = ([], [])
        sorted.reserveCapacity(byStart.count)
        for span in byStart {
            // The span and those above it that are not placed yet, from below.
            var chain: [SpanWords] = []
            var next: SpanWords? = span
            while let span = next, placed.insert(span.span).inserted {
                chain.append(span)
                next = spans[span.parent]
            }
            sorted.append(contentsOf: chain.reversed())
        }
        return sorted
    }
}
