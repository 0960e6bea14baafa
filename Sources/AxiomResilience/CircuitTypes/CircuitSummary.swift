// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// Everything that metrics and dashboards show about a circuit breaker, all read at one instant.
public struct CircuitSummary: Sendable {
    /// How often a transition was made.
    package struct TransitionCount: Hashable, Sendable {
        package let edge: CircuitEdge
        /// How often it was made.
        package let count: Int
        /// How often it would have been made in shadow mode.
        package let shadowCount: Int
    }

    /// The breaker's name.
    package let name: String
    /// When the summary was read.
    package let instant: Instant
    /// The state of the breaker.
    public let state: CircuitState
    /// The state of an enforcing breaker: closed, open or half-open. In shadow mode it differs from ``state``. It is
    /// closed while an operator forces the breaker open or has disabled it.
    public let decidedState: CircuitState
    /// Increases when the breaker opens, becomes half open or discards the calls in its window. A permit of an earlier
    /// generation decides nothing.
    package let generation: UInt64
    /// All calls since the breaker was created.
    public let counts: CircuitCounts
    /// The calls in the window.
    public let window: WindowSummary
    /// The share of failures in the window, 0...1; nil while it contains fewer calls than the minimum.
    package let failureRatio: Double?
    /// The share of slow calls, including those in flight, 0...1; nil while there are fewer calls than the minimum, and
    /// if the configuration has no `slowCallDuration`.
    package let slowRatio: Double?
    /// The time spent in each of the six states up to ``instant``.
    package let timeInState: [CircuitState: Duration]
    /// All transitions of ``CircuitEdge/all``, in that order, including those with a count of 0.
    package let transitions: [TransitionCount]
    /// When the open time is over, later than ``instant``; nil unless the decided state is open.
    package let openUntil: Instant?
    /// The rest of the open time, more than zero; nil unless the decided state is open.
    public let openRemaining: Duration?
    /// Probes in flight that hold a permit.
    package let halfOpenPermitsInUse: Int
    /// The share of calls that a ramp admits now; nil without a ramp.
    package let rampShare: Double?
    /// Transitions that slow subscribers and observers have missed.
    package internal(set) var droppedEvents = 0
}

/// The calls of a circuit breaker since it was created, by outcome.
///
/// At every instant ``offered`` is the sum of ``success``, ``failure``, ``ignored``, ``cancelled``, ``rejected`` and
/// ``inFlight``. All counts but ``inFlight`` and ``slowInFlight`` never decrease. No count is ever negative.
public struct CircuitCounts: Hashable, Sendable {
    /// All calls.
    package var offered: Int { success + failure + ignored + cancelled + rejected + inFlight }
    /// Calls that were admitted and have not ended.
    public internal(set) var inFlight = 0
    /// Calls that succeeded, including slow ones.
    public internal(set) var success = 0
    /// Calls that failed, including slow ones.
    public internal(set) var failure = 0
    /// Calls that say nothing about the health of the server.
    package internal(set) var ignored = 0
    /// Calls that the caller cancelled.
    package internal(set) var cancelled = 0
    /// Calls that were not admitted.
    public internal(set) var rejected = 0
    /// Calls that succeeded or failed and took `slowCallDuration` or longer.
    package internal(set) var slow = 0
    /// Calls in flight that have already taken that long and affect the next decision. When such a call ends, it leaves
    /// this count, and is counted in ``slow`` if it succeeded or failed.
    package internal(set) var slowInFlight = 0
    /// Calls that were admitted in shadow mode and that an enforcing breaker would have rejected. They are also counted by
    /// their outcome.
    public internal(set) var shadowRejections = 0
    /// Calls that ended after their permit had expired. They are counted by their outcome, and decided nothing.
    package internal(set) var stale = 0
}

/// The calls in the window of a circuit breaker, to which its rules apply.
public struct WindowSummary: Hashable, Sendable {
    /// Calls in the window that succeeded or failed.
    public let calls: Int
    /// Calls in the window that failed.
    public let failures: Int
    /// Slow calls in the window, whether they succeeded or failed.
    public let slow: Int
    /// Calls in flight that are already slow. Not included in ``calls``.
    public let slowInFlight: Int
    /// Failures since the last success, including those that have left the window.
    public let consecutiveFailures: Int

    /// ``failures`` / ``calls``; NaN if there are no calls.
    package var failureRatio: Double { Double(failures) / Double(calls) }

    /// The share of slow calls. Slow calls in flight count in numerator and denominator. NaN if there are no calls.
    package var slowRatio: Double { Double(slow + slowInFlight) / Double(calls + slowInFlight) }
}
