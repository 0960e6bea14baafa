// SPDX-License-Identifier: Apache-2.0

package import AxiomBase
package import AxiomInstrumentation

/// What distinguishes the slow ones of some operations from the ordinary ones, and how much of the excess that explains.
///
/// The excess is the time that the slow ones took beyond the median of the ordinary ones. A cause explains at least a quarter
/// of it, and is not there by chance: the false discovery rate is 1 % at most. ``ExplanationSearch`` has the method.
package struct Explanation: Sendable {
    /// What makes an operation a slow one.
    package enum Rule: String, Sendable {
        /// It exceeds its budget.
        case budget
        /// It is as far above the median as the fastest 5 % are below, or farther: as a ratio.
        case spread
        /// It is one of the slowest tenth.
        case tenth
    }

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

    /// Something that was compared.
    package struct Compared: Sendable {
        package let feature: String
        /// The share of the excess that it would explain, 0 or more.
        package let share: Double
    }

    /// How many operations were compared, and how many of them are slow and ordinary.
    package let spans, slow, ordinary: Int
    package let rule: Rule
    /// In seconds: what slow ones exceed, the median of the ordinary ones, and the excess of all slow ones.
    package let threshold, typical, excess: Double
    /// The share of the excess that was spent in no step.
    package let own: Double
    /// At most three, the one that explains most first.
    package let causes: [Cause]
    package let compared: [Compared]
    /// The sentence.
    package let says: String

    /// Compares operations.
    ///
    /// Cost: less than 50 ms for 5,000.
    ///
    /// - Parameters:
    ///   - operations: A sample of the operations, in any order.
    ///   - limit: Their budget in seconds; nil if there is none.
    ///   - time: The seconds since 1970 of a moment.
    package init(_ operations: [SpanTree], limit: Double? = nil, time: (Instant) -> Double) {
        self.init(ExplanationSearch(SpanFeatures(operations, time: time), limit: limit))
    }

    private init(_ search: ExplanationSearch) {
        (spans, slow, ordinary) = (search.features.seconds.count, search.slow.count, search.ordinary.count)
        (rule, threshold, typical, excess) = (search.rule, search.threshold, search.typical, search.total)
        let (causes, compared) = search.hasExcess ? search.result : ([], [])
        (self.causes, self.compared, own) = (causes, compared, search.own)
        says = causes.first?.text ?? search.reason ?? Self.nothing(search.own, compared)
    }

    private static func nothing(_ own: Double, _ compared: [Compared]) -> String {
        let work = own >= 0.5 ? "\(percent(own)) of the excess is its own work. " : ""
        return "Nothing explains it. \(work)Compared: \(compared.map(\.feature).joined(separator: ", ").clipped(400))."
    }

    fileprivate static func percent(_ share: Double) -> String { "\(Int((share * 100).rounded())) %" }
}
