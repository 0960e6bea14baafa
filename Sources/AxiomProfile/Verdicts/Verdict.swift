// SPDX-License-Identifier: Apache-2.0

/// What came out of comparing something with its baseline.
public struct Verdict: Hashable, Sendable, CustomStringConvertible {
    /// The kind of a ``Verdict``. More kinds may be added.
    public struct Kind: Hashable, Sendable, CustomStringConvertible {
        /// The name of the kind, as in reports.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Not worse, as far as can be told.
        public static let ok = Kind("ok")
        /// Worse, by more than noise and by more than the effect that matters.
        public static let regressed = Kind("regressed")
        /// There is not enough data to tell. Not the same as ``ok``.
        public static let insufficient = Kind("insufficient")
        /// What is there must not be compared.
        public static let incomparable = Kind("incomparable")
    }

    /// Why a verdict is what it is. More reasons may be added.
    public struct Reason: Hashable, Sendable, CustomStringConvertible {
        /// The name of the reason, as in reports.
        public let description: String

        private init(_ description: String) {
            self.description = description
        }

        /// Nothing to explain.
        public static let none = Reason("none")
        /// Nothing was judged yet.
        public static let notJudged = Reason("not judged yet")
        /// Too few requests in too many windows.
        public static let tooFewRequests = Reason("too few requests")
        /// Too few windows until now.
        public static let tooFewWindows = Reason("too few windows")
        /// Too few pairs of runs for the noise among them.
        public static let tooFewPairs = Reason("too few pairs")
        /// The baseline has too few windows with enough requests.
        public static let shortBaseline = Reason("baseline too short")
        /// Neighbouring windows resemble each other so much that there are too few independent blocks of them.
        public static let autocorrelation = Reason("autocorrelation")
        /// The buckets of a histogram are wider than the effect that matters.
        public static let resolution = Reason("resolution")
        /// Quantiles are zero or infinite.
        public static let range = Reason("durations out of range")
        /// The machine is another one.
        public static let fingerprint = Reason("fingerprint")
        /// The baseline has nothing of the kind.
        public static let noBaseline = Reason("no baseline")
        /// Work moved here from a sibling that is quicker by as much.
        public static let costMoved = Reason("cost moved")
        /// The shift is above the threshold.
        public static let slower = Reason("slower")
    }

    /// The kind.
    public let kind: Kind
    /// The reason.
    public let reason: Reason
    /// The reason in words, with its numbers; may be empty.
    public let detail: String

    /// Makes a verdict.
    public init(_ kind: Kind, _ reason: Reason = .none, _ detail: String = "") {
        self.kind = kind
        self.reason = reason
        self.detail = detail
    }

    /// The kind, and the reason and its details where there are any.
    public var description: String {
        let why = reason == .none ? "" : " (\(reason))"
        return "\(kind)\(why)\(detail.isEmpty ? "" : ": \(detail)")"
    }
}
