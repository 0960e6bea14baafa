// SPDX-License-Identifier: Apache-2.0

/// The result of comparing something with its baseline, for running applications and for benchmarks.
public struct Verdict: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a ``Verdict``. More kinds may be added.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind, as on the dashboard.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// Not worse by the effect that matters.
        public static let ok = Kind("ok")
        /// Worse, by more than noise and by more than the effect that matters.
        public static let regressed = Kind("regressed")
        /// The data do not suffice for a decision. Not the same as ``ok``.
        public static let insufficient = Kind("insufficient")
        /// A comparison would not be fair.
        public static let incomparable = Kind("incomparable")

        // Only benchmarks have the rest.

        /// Better by the effect that matters.
        package static let improved = Kind("improved")
        /// Shown, and never judged.
        package static let information = Kind("information")
        /// Only in the current build.
        package static let added = Kind("added")
        /// Only in the baseline.
        package static let removed = Kind("removed")
        /// The benchmark is in both, but the current build does not have the metric.
        package static let lost = Kind("lost")
        /// Every process missed the goal.
        package static let missed = Kind("missed")
        /// A process of the benchmark crashed, hung or failed.
        package static let crashed = Kind("crashed")

        /// Whether data decided.
        package var isJudged: Bool { [.ok, .regressed, .improved, .missed].contains(self) }
    }

    /// Why a verdict is what it is. More reasons may be added.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name of the reason, as in reports.
        public let description: String

        private init(_ description: String) { self.description = description }

        /// No explanation is needed.
        package static let none = Reason("none")
        package static let notJudged = Reason("not judged yet")
        /// Too few requests in too many windows.
        package static let tooFewRequests = Reason("too few requests")
        package static let tooFewWindows = Reason("too few windows")
        /// The baseline has too few windows with enough requests.
        package static let shortBaseline = Reason("baseline too short")
        /// Consecutive windows are so similar that they form too few independent blocks.
        package static let autocorrelation = Reason("autocorrelation")
        /// The buckets of a histogram are wider than the effect that matters.
        package static let resolution = Reason("resolution")
        /// Quantiles are zero or infinite.
        package static let range = Reason("durations out of range")
        /// The baseline is of another machine.
        package static let fingerprint = Reason("fingerprint")
        /// The application has not run an operation of the baseline.
        package static let unknownOperation = Reason("unknown operation")
        /// The baseline does not have the operation.
        package static let noBaseline = Reason("no baseline")
        /// Work moved here from a sibling that became faster by as much.
        package static let costMoved = Reason("cost moved")
        /// The shift is above the threshold.
        package static let slower = Reason("slower")
    }

    /// The kind.
    public let kind: Kind
    /// The reason.
    public let reason: Reason
    /// An explanation with numbers; may be empty.
    package let detail: String

    package init(_ kind: Kind, _ reason: Reason = .none, _ detail: String = "") {
        self.kind = kind
        self.reason = reason
        self.detail = detail
    }

    /// The kind, followed by the reason and the detail if there are any.
    public var description: String {
        let why = reason == .none ? "" : " (\(reason))"
        return "\(kind)\(why)\(detail.isEmpty ? "" : ": \(detail)")"
    }
}

/// The comparison of one percentile of one operation.
package struct LiveFinding: Hashable, Sendable {
    /// The percentile, as a probability: 0.99.
    package let percentile: Double
    /// The duration now over the duration in the baseline.
    package let ratio: Double
    /// The standard error of the ratio's logarithm, from both sides.
    package let standardError: Double
    /// The one-sided p-value, adjusted by Holm for all operations and percentiles of the look.
    package let adjustedP: Double
    /// Whether it is judged regressed: significant, large enough, lasting, and not moved from a sibling.
    package let isRegressed: Bool
}

/// The verdict on one operation.
package struct LiveVerdict: Hashable, Sendable {
    package let operation: String
    package let verdict: Verdict
    /// The percentiles that could be judged.
    package let findings: [LiveFinding]
    /// The number of requests that were looked at: those of the windows within the horizon that have enough of them.
    package internal(set) var requests: UInt64 = 0
}
