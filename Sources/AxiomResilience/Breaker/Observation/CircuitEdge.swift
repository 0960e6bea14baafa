// SPDX-License-Identifier: Apache-2.0

/// A transition that a circuit breaker can make: from where, to where and why.
public struct CircuitEdge: Hashable, Sendable, Codable {
    /// The state before.
    public let from: CircuitState
    /// The state after.
    public let to: CircuitState
    /// Why.
    public let reason: TransitionReason

    /// Every legal transition: the table that the state machine obeys, and the label sets that its metrics have.
    public static let all: [CircuitEdge] = trips + verdicts + orders + switches

    private static let trips =
        edges(.closed, .open, judgements + [.serverTold, .operatorOrdered])
        + edges(.halfOpen, .open, judgements + [.probesFailed, .probesSlow, .probeTimedOut, .serverTold])
        + edges(.halfOpen, .open, [.operatorOrdered])

    /// What the closed rules find; they also hold while a breaker readmits calls step by step.
    private static let judgements: [TransitionReason] = [.failureRate, .slowRate, .consecutiveFailures, .predicate]

    private static let verdicts =
        edges(.open, .halfOpen, [.openTimeOver]) + edges(.halfOpen, .closed, [.probesPassed, .rampComplete])

    private static let orders =
        [.closed, .open, .halfOpen, .disabled, .shadow].flatMap { edges($0, .forcedOpen, [.operatorOrdered]) }
        + [.closed, .open, .halfOpen, .forcedOpen, .shadow].flatMap { edges($0, .disabled, [.operatorOrdered]) }
        + [.open, .halfOpen, .forcedOpen, .disabled].flatMap { edges($0, .closed, [.operatorOrdered]) }
        + [.forcedOpen, .disabled].flatMap { edges($0, .shadow, [.operatorOrdered]) }

    private static let switches =
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
