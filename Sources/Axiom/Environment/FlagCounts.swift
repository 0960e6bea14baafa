// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Counts the evaluations of flags. Each series is bound at its first evaluation.
final class FlagCounts: Sendable {
    private struct Series: Hashable {
        var flag: String
        var variant: String
        let reason: FlagReason
    }

    /// So many combinations have a series of their own. The rest is counted as flag and variant `other`.
    private static let limit = 100
    /// Binds a signal; nil if nothing observes the flags.
    typealias Binding = @Sendable (SignalFamily, [String]) -> (any Signal)?

    private static let family = SignalFamily(
        "axiom_feature_flag_evaluations_total",
        .counter,
        help: "Evaluations of feature flags, by the variant that was chosen and why.",
        labels: ["flag", "variant", "reason"]
    )

    private let bind: Binding?
    private let bound = Lock<[Series: any Signal]>([:])

    init(_ bind: Binding?) {
        self.bind = bind
    }

    func add(_ flag: String, variant: String, _ reason: FlagReason) {
        guard let bind else { return }
        var series = Series(flag: flag, variant: variant, reason: reason)
        let (known, isFull) = bound.withLock { ($0[series], $0.count >= Self.limit) }
        if let known { return known.add(1) }
        if isFull || flag.utf8.count > 64 || variant.utf8.count > 64 {
            (series.flag, series.variant) = ("other", "other")
        }
        if let other = bound.withLock({ $0[series] }) { return other.add(1) }
        // Not under the lock: the observer's code runs here. A second thread binds the same series again, which is the
        // same signal.
        guard let signal = bind(Self.family, [series.flag, series.variant, reason.rawValue]) else { return }
        bound.withLock { $0[series] = signal }
        signal.add(1)
    }
}
