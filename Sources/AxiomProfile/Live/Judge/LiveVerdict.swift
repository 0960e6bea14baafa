// SPDX-License-Identifier: Apache-2.0

/// What is known about one percentile of one operation.
public struct LiveFinding: Hashable, Sendable {
    /// Which percentile, as a probability: 0.99.
    public let percentile: Double
    /// The present duration over the baseline's.
    public let ratio: Double
    /// The standard error of the ratio's logarithm, from both sides.
    public let standardError: Double
    /// The one-sided p-value, adjusted by Holm for all operations and percentiles of the look.
    public let adjustedP: Double
    /// Whether it is judged regressed: significant, large enough, lasting, and not moved from a sibling.
    public let isRegressed: Bool
}

/// What is known about one operation.
public struct LiveVerdict: Hashable, Sendable {
    /// The operation.
    public let operation: String
    /// The verdict, with its reason.
    public let verdict: Verdict
    /// The percentiles that could be judged.
    public let findings: [LiveFinding]
    /// How many requests of the present were looked at: those of the windows within the horizon that have enough of them.
    public internal(set) var requests: UInt64 = 0
}
