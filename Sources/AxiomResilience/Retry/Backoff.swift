// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// How long to wait before the next attempt.
///
/// The delay before retry n, counted from 0, is spread by ``jitter`` from d = min(``cap``, ``base`` ×
/// ``multiplier``ⁿ). The settings are checked where the backoff is put to use.
public struct Backoff: Hashable, Sendable, CustomStringConvertible {
    /// The delay d before the first retry. Zero or longer.
    public var base: Duration
    /// By how much d grows from one retry to the next; 1 keeps it constant. At least 1.
    public var multiplier: Double
    /// The longest delay. Not shorter than ``base``.
    public var cap: Duration
    /// How delays are spread.
    public var jitter: Jitter

    /// Makes a backoff from its parts.
    public init(base: Duration, multiplier: Double, cap: Duration, jitter: Jitter) {
        self.base = base
        self.multiplier = multiplier
        self.cap = cap
        self.jitter = jitter
    }

    /// No delay.
    public static let none = Backoff(base: .zero, multiplier: 1, cap: .zero, jitter: .none)

    /// The same delay before every retry, spread by `jitter` within 0...`delay`. With ``Jitter/decorrelated`` it is
    /// always `delay`, for there is no room above.
    public static func constant(_ delay: Duration, jitter: Jitter = .full) -> Backoff {
        Backoff(base: delay, multiplier: 1, cap: delay, jitter: jitter)
    }

    /// Delays that double, up to `cap`: 100 ms, 10 s and full jitter unless told.
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
    /// - Parameters:
    ///   - retry: The number of the retry, from 0.
    ///   - previous: The delay before the retry before; nil for the first. Only ``Jitter/decorrelated`` asks for it.
    ///   - generator: Where chance comes from.
    /// - Returns: A delay in 0...``cap``.
    public func delay(
        beforeRetry retry: Int,
        previous: Duration?,
        using generator: inout some RandomNumberGenerator
    ) -> Duration {
        let ceiling = nominalNanoseconds(beforeRetry: retry)
        switch jitter.kind {
        case .none:
            return .nanoseconds(ceiling)
        case .full:
            return .nanoseconds(Self.uniform(0, ceiling, &generator))
        case .equal:
            return .nanoseconds(ceiling - ceiling / 2 + Self.uniform(0, ceiling / 2, &generator))
        case .decorrelated:
            let low = base.clampedNanoseconds
            let (triple, overflow) = max(previous ?? base, base).clampedNanoseconds.multipliedReportingOverflow(by: 3)
            let drawn = Self.uniform(low, overflow ? .max : triple, &generator)
            return .nanoseconds(min(drawn, cap.clampedNanoseconds))
        }
    }

    /// The settings in one line.
    public var description: String {
        if self == .none { return "none" }
        let growth = multiplier == 1 ? "\(base)" : "\(base) × \(multiplier)ⁿ, at most \(cap)"
        return "\(growth), jitter \(jitter)"
    }

    /// min(cap, base × multiplier^retry), in `Double`, whose 53 bits tell delays below 104 days apart by nanoseconds.
    private func nominalNanoseconds(beforeRetry retry: Int) -> Int64 {
        let limit = cap.clampedNanoseconds
        let start = base.clampedNanoseconds
        guard start > 0, multiplier > 1, retry > 0 else { return min(start, limit) }
        let delay = Double(start) * pow(multiplier, Double(retry))
        return Int64(exactly: delay.rounded()).map { min($0, limit) } ?? limit
    }

    private static func uniform(
        _ low: Int64,
        _ high: Int64,
        _ generator: inout some RandomNumberGenerator
    ) -> Int64 {
        high <= low ? low : Int64.random(in: low...high, using: &generator)
    }

    func validate(_ check: SettingCheck) throws {
        try check.require(base >= .zero, "the backoff's base", base, "it has to be zero or longer")
        try check.require(cap >= base, "the backoff's cap", cap, "it has to be at least the base, \(base)")
        let isGrowth = multiplier >= 1 && multiplier.isFinite
        try check.require(isGrowth, "the backoff's multiplier", multiplier, "it has to be at least 1, and finite")
    }
}
