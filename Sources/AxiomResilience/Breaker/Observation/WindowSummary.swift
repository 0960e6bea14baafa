// SPDX-License-Identifier: Apache-2.0

/// What a circuit breaker knows of the calls in its window: what its rules are applied to.
public struct WindowSummary: Hashable, Sendable {
    /// Calls in the window: those that succeeded or failed.
    public let calls: Int
    /// Of these, the failures.
    public let failures: Int
    /// Of these, the slow ones, whether they succeeded or failed.
    public let slow: Int
    /// Calls in flight that have been slow already; they are not among ``calls``.
    public let slowInFlight: Int
    /// Failures since the last success, however long ago.
    public let consecutiveFailures: Int

    /// ``failures`` / ``calls``; NaN when there are no calls.
    public var failureRatio: Double {
        Double(failures) / Double(calls)
    }

    /// The share of slow calls, those in flight included on both sides; NaN when there are none.
    public var slowRatio: Double {
        Double(slow + slowInFlight) / Double(calls + slowInFlight)
    }
}
