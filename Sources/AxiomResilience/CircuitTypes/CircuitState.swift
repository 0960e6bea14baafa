// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The state of a circuit breaker. The raw values are the label values of metrics.
///
/// Time alone can change the state: from open to half-open when the open time is over; from half-open to open when a
/// probe exceeds its time limit; and to closed when a ramp is complete. The breaker has no timer. Each call, and each
/// reading of the state, the counts or the summary, makes the transitions that are due and dates each to its instant.
public enum CircuitState: String, Sendable, Hashable, Codable, CaseIterable {
    /// Admits every call and records how it ends.
    case closed
    /// Rejects every call until the open time is over.
    case open
    /// Admits a few probes, or a growing share of the calls, to find out whether to close.
    case halfOpen = "half_open"
    /// Rejects every call until an operator resets the breaker.
    case forcedOpen = "forced_open"
    /// Admits every call and decides nothing until an operator resets the breaker.
    case disabled
    /// Admits every call and counts what an enforcing breaker would have rejected.
    case shadow
}

/// A transition that a circuit breaker made, or would have made in shadow mode.
public struct CircuitTransition: Hashable, Sendable {
    /// The breaker's name.
    package let breaker: String
    /// The states and the reason.
    package let edge: CircuitEdge
    /// When the transition took effect. A deadline that passed between two calls takes effect at the deadline.
    public let instant: Instant
    /// The generation that began with the transition. Permits of earlier generations decide nothing.
    package let generation: UInt64
    /// Whether the breaker is in shadow mode, and would have made the transition.
    public let isShadow: Bool

    /// The state before.
    public var from: CircuitState { edge.from }
    /// The state after.
    public var to: CircuitState { edge.to }
    /// The reason.
    public var reason: TransitionReason { edge.reason }
}

/// Why a circuit breaker made a transition. The raw values are the label values of metrics. More reasons may be added.
#if hasAttribute(nonexhaustive)
@nonexhaustive
#endif
public enum TransitionReason: String, Sendable, Hashable, Codable, CaseIterable, CustomStringConvertible {
    /// The share of failures in the window reached its threshold.
    case failureRate = "failure_rate"
    /// The share of slow calls, including those in flight, reached its threshold.
    case slowRate = "slow_rate"
    /// The number of consecutive failures reached its threshold.
    case consecutiveFailures = "consecutive_failures"
    /// A call ended with ``CallOutcome/failure(openFor:)``.
    case retryAfter = "server_told"
    /// The program called `forceOpen`, `disable`, `reset` or `open(for:)`.
    case operatorOrdered = "operator"
    /// `reconfigure` changed the mode.
    case reconfigured
    /// The open time is over. The next call is a probe.
    case openTimeOver = "open_time_over"
    /// Enough probes succeeded.
    case probesPassed = "probes_passed"
    /// Too many probes failed.
    case probesFailed = "probes_failed"
    /// Too many probes were slow.
    case probesSlow = "probes_slow"
    /// A probe exceeded ``CircuitBreakerConfiguration/halfOpenTimeLimit``.
    case probeTimedOut = "probe_timed_out"
    /// The ramp is complete: the breaker admits every call again.
    case rampComplete = "ramp_complete"

    /// The raw value, such as `failure_rate`.
    public var description: String { rawValue }
}

/// A transition that a circuit breaker can make: two states and a reason.
package struct CircuitEdge: Hashable, Sendable {
    /// The state before.
    package let from: CircuitState
    /// The state after.
    package let to: CircuitState
    package let reason: TransitionReason

    /// Every legal transition. The state machine makes no others, and each is a label set of the metrics.
    package static let all: [CircuitEdge] = openings + recoveries + operatorChanges + modeChanges

    private static let openings =
        edges(.closed, .open, thresholds + [.retryAfter, .operatorOrdered])
        + edges(.halfOpen, .open, thresholds + [.probesFailed, .probesSlow, .probeTimedOut, .retryAfter])
        + edges(.halfOpen, .open, [.operatorOrdered])

    /// The rules of the closed state. They also apply during a ramp.
    private static let thresholds: [TransitionReason] = [.failureRate, .slowRate, .consecutiveFailures]

    private static let recoveries =
        edges(.open, .halfOpen, [.openTimeOver]) + edges(.halfOpen, .closed, [.probesPassed, .rampComplete])

    private static let operatorChanges =
        [.closed, .open, .halfOpen, .disabled, .shadow].flatMap { edges($0, .forcedOpen, [.operatorOrdered]) }
        + [.closed, .open, .halfOpen, .forcedOpen, .shadow].flatMap { edges($0, .disabled, [.operatorOrdered]) }
        + [.open, .halfOpen, .forcedOpen, .disabled].flatMap { edges($0, .closed, [.operatorOrdered]) }
        + [.forcedOpen, .disabled].flatMap { edges($0, .shadow, [.operatorOrdered]) }

    private static let modeChanges =
        [.closed, .open, .halfOpen].flatMap { state in
            edges(state, .shadow, [.reconfigured]) + edges(.shadow, state, [.reconfigured])
        }

    private static func edges(
        _ from: CircuitState,
        _ to: CircuitState,
        _ reasons: [TransitionReason]
    ) -> [CircuitEdge] {
        reasons.map { CircuitEdge(from: from, to: to, reason: $0) }
    }
}
