// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
package import AxiomInstrumentation

/// What distinguishes the slow ones of some operations from the ordinary ones, and how much of the excess that explains.
///
/// The excess is the time that the slow ones took beyond the median of the ordinary ones. A cause explains at least a quarter
/// of it, and is not there by chance: the false discovery rate is 1 % at most. ``ExplanationSearch`` has the method.
package struct Explanation: Sendable {
    package struct Cause: Sendable {
        /// `part`, `recovery` or `wait` (time in a step), `retries`, or the name of a property, as `caller`, `instance` or `time`.
        package let feature: String
        /// Such as `3.9 retries instead of 0`, or `calls by CartContext take 80 ms, others 4 ms`.
        package let says: String
        /// The share of the excess that it explains, above 0 to 1. Steps are disjoint, and so are what several properties
        /// explain; a step and a property may explain the same time.
        package let share: Double
        /// The least false discovery rate at which it is named.
        package let q: Double
        /// In seconds: the mean time in the step in slow and in ordinary operations, or the median duration of operations
        /// with the property and of the others.
        package let slow, ordinary: Double
        /// How many slow operations have it.
        package let spans: Int
        /// The trace of the slowest of them.
        package let trace: TraceID?

        /// Such as `92 % of the excess: 3.9 retries instead of 0`.
        package var text: String { "\(Explanation.percent(share)) of the excess: \(says)" }
    }

    /// How many operations were compared, and how many of them are slow.
    package let spans, slow: Int
    /// In seconds: what slow ones exceed, and the median of the ordinary ones.
    package let threshold, typical: Double
    /// The share of the excess that was spent in no step.
    package let own: Double
    /// At most three, the one that explains most first.
    package let causes: [Cause]
    /// The features that were compared.
    package let compared: [String]
    /// The sentence: the first cause with its share, or why none is named.
    package let says: String

    /// Compares operations. Cost: less than 50 ms for 5,000.
    ///
    /// - Parameters:
    ///   - operations: A sample of the operations, in the order of their start.
    ///   - limit: Their budget in seconds; nil if there is none.
    ///   - time: The seconds since 1970 of a moment.
    package init(_ operations: [SpanTree], limit: Double? = nil, time: (Instant) -> Double) {
        let search = ExplanationSearch(SpanFeatures(operations, time: time), limit: limit)
        let candidates = search.reason == nil ? search.candidates : []
        (spans, slow, own) = (operations.count, search.slow.count, search.own)
        (threshold, typical) = (search.threshold, search.typical)
        (causes, compared) = (search.causes(candidates), candidates.map(\.feature))
        let work = own < 0.5 ? "" : "\(Self.percent(own)) of the excess is its own work. "
        let nothing = "Nothing explains it. \(work)Compared: \(compared.joined(separator: ", ").clipped(400))."
        says = causes.first?.text ?? search.reason ?? nothing
    }

    private static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
