// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// How long a ``Retry`` waits before the next attempt.
///
/// The delay before retry n, counted from 0, is min(cap, base × multiplierⁿ), randomised by a ``Jitter``.
public struct Backoff: Hashable, Sendable {
    /// The delay before the first retry, without jitter. Zero or longer.
    package var base: Duration
    /// The growth of the delay from one retry to the next, at least 1. At 1 the delay is constant.
    package var multiplier: Double
    /// The longest delay. Not shorter than ``base``.
    package var cap: Duration
    /// How delays are randomised.
    package var jitter: Jitter

    /// No delay.
    public static let none = Backoff(base: .zero, multiplier: 1, cap: .zero, jitter: .none)

    /// The same delay before every retry, randomised by `jitter` within 0...`delay`.
    public static func constant(_ delay: Duration, jitter: Jitter = .full) -> Backoff {
        Backoff(base: delay, multiplier: 1, cap: delay, jitter: jitter)
    }

    /// Delays that grow from `base` by `multiplier`, up to `cap`.
    ///
    /// The ``Retry`` that uses the backoff checks these values.
    ///
    /// - Parameters:
    ///   - base: The delay before the first retry, zero or longer.
    ///   - multiplier: The growth from one retry to the next, at least 1.
    ///   - cap: The longest delay, not shorter than `base`.
    ///   - jitter: How delays are randomised.
    public static func exponential(
        base: Duration = .milliseconds(100),
        multiplier: Double = 2,
        cap: Duration = .seconds(10),
        jitter: Jitter = .full
    ) -> Backoff {
        Backoff(base: base, multiplier: multiplier, cap: cap, jitter: jitter)
    }

    /// The delay before a retry.
    ///
    /// - Parameter retry: The number of the retry, from 0.
    /// - Returns: A delay in 0...``cap``.
    package func delay(beforeRetry retry: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let ceiling = nominalNanoseconds(beforeRetry: retry)
        return switch jitter {
        case .none: .nanoseconds(ceiling)
        case .full: .nanoseconds(Self.uniform(ceiling, &generator))
        case .equal: .nanoseconds(ceiling - ceiling / 2 + Self.uniform(ceiling / 2, &generator))
        }
    }

    /// The delay before a retry, with the randomness of the system.
    package func delay(beforeRetry retry: Int) -> Duration {
        // In a box: values without a size share one address, and the thread sanitizer takes their uses for a race.
        var generator: any RandomNumberGenerator = SystemRandomNumberGenerator()
        return delay(beforeRetry: retry, using: &generator)
    }

    /// The settings in one line.
    var outline: String {
        if self == .none { return "none" }
        let growth = multiplier == 1 ? "\(base)" : "\(base) × \(multiplier)ⁿ, at most \(cap)"
        return "\(growth), jitter \(jitter)"
    }

    /// min(cap, base × multiplier^retry). Computed in `Double`, whose 53 bits are exact to the nanosecond up to 104 days.
    private func nominalNanoseconds(beforeRetry retry: Int) -> Int64 {
        let limit = cap.clampedNanoseconds
        let start = base.clampedNanoseconds
        guard start > 0, multiplier > 1, retry > 0 else { return min(start, limit) }
        let delay = Double(start) * pow(multiplier, Double(retry))
        return Int64(exactly: delay.rounded()).map { min($0, limit) } ?? limit
    }

    private static func uniform(_ high: Int64, _ generator: inout some RandomNumberGenerator) -> Int64 {
        Int64.random(in: 0...max(0, high), using: &generator)
    }

    func validate(_ check: SettingCheck) throws {
        try check.require(base >= .zero, "the backoff's base", base, "it has to be zero or longer")
        try check.require(cap >= base, "the backoff's cap", cap, "it has to be at least the base, \(base)")
        let isGrowth = multiplier >= 1 && multiplier.isFinite
        try check.require(isGrowth, "the backoff's multiplier", multiplier, "it has to be at least 1, and finite")
    }
}

/// How the delays of a ``Backoff`` are randomised, so that callers that failed together do not retry together.
///
/// The formulas are those of the AWS Architecture Blog, "Exponential Backoff and Jitter" (2015). In them, d is the delay
/// without jitter. More may be added.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum Jitter: Hashable, Sendable {
    /// Exactly d.
    case none
    /// Uniform in 0...d: causes the least load on a server that recovers. The default.
    case full
    /// d/2 plus uniform in 0...d/2: never shorter than half of d.
    case equal
}
