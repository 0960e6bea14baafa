// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics
internal import AxiomResilience

/// The families of circuit breakers, filled at each scrape from one reading of each breaker.
struct CircuitFamilies {
    private var state = CollectedFamily.gauge(
        "axiom_circuit_state",
        help: "1 for the state that a circuit breaker is in, 0 for the others.",
        labels: "breaker",
        "state"
    )
    private var stateSeconds = CollectedFamily.counter(
        "axiom_circuit_state_seconds_total",
        help: "Time that a circuit breaker has spent in each state: shows openings that no scrape has seen.",
        labels: "breaker",
        "state"
    )
    private var transitions = CollectedFamily.counter(
        "axiom_circuit_transitions_total",
        help: "Transitions that a circuit breaker has made.",
        labels: "breaker",
        "from",
        "to",
        "reason"
    )
    private var shadowTransitions = CollectedFamily.counter(
        "axiom_circuit_shadow_transitions_total",
        help: "Transitions that a circuit breaker in shadow mode would have made.",
        labels: "breaker",
        "from",
        "to",
        "reason"
    )
    private var calls = CollectedFamily.counter(
        "axiom_circuit_calls_total",
        help: "Calls that were offered to a circuit breaker and have ended, by outcome.",
        labels: "breaker",
        "outcome"
    )
    private var inFlight = CollectedFamily.gauge(
        "axiom_circuit_calls_in_flight",
        help: "Calls that a circuit breaker has admitted and that have not ended.",
        labels: "breaker"
    )
    private var slowCalls = CollectedFamily.counter(
        "axiom_circuit_slow_calls_total",
        help: "Calls that succeeded or failed and took as long as the breaker's slow-call duration or longer.",
        labels: "breaker"
    )
    private var shadowRejections = CollectedFamily.counter(
        "axiom_circuit_shadow_rejections_total",
        help: "Calls that a circuit breaker in shadow mode admitted and would have rejected.",
        labels: "breaker"
    )
    private var failureRatio = CollectedFamily.gauge(
        "axiom_circuit_failure_ratio",
        help: "Share of failures in the breaker's window; NaN while it holds fewer calls than the minimum.",
        labels: "breaker"
    )
    private var slowRatio = CollectedFamily.gauge(
        "axiom_circuit_slow_ratio",
        help: "Share of slow calls in the breaker's window; NaN while it holds fewer calls than the minimum.",
        labels: "breaker"
    )

    /// The families that have a series.
    var all: [CollectedFamily] {
        [
            state, stateSeconds, transitions, shadowTransitions, calls, inFlight, slowCalls, shadowRejections,
            failureRatio, slowRatio,
        ].filter { !$0.isEmpty }
    }

    mutating func add(_ summary: CircuitSummary) {
        let name = summary.name
        for state in CircuitState.allCases {
            self.state.add(state == summary.state ? 1 : 0, name, state.rawValue)
            stateSeconds.add((summary.timeInState[state] ?? .zero) / .seconds(1), name, state.rawValue)
        }
        for transition in summary.transitions {
            let edge = transition.edge
            let labels = [name, edge.from.rawValue, edge.to.rawValue, edge.reason.description]
            transitions.add(Double(transition.count), labelValues: labels)
            if Self.isDecision(edge) { shadowTransitions.add(Double(transition.shadowCount), labelValues: labels) }
        }
        addCalls(summary.counts, name)
        slowCalls.add(Double(summary.counts.slow), name)
        shadowRejections.add(Double(summary.counts.shadowRejections), name)
        failureRatio.add(summary.failureRatio ?? .nan, name)
        slowRatio.add(summary.slowRatio ?? .nan, name)
    }

    private mutating func addCalls(_ counts: CircuitCounts, _ name: String) {
        calls.add(Double(counts.success), name, "success")
        calls.add(Double(counts.failure), name, "failure")
        calls.add(Double(counts.ignored), name, "ignored")
        calls.add(Double(counts.cancelled), name, "cancelled")
        calls.add(Double(counts.rejected), name, "rejected")
        inFlight.add(Double(counts.inFlight), name)
    }

    /// Whether the breaker itself decides the transition, rather than an operator or the configuration.
    private static func isDecision(_ edge: CircuitEdge) -> Bool {
        edge.reason != .operatorOrdered && edge.reason != .reconfigured
    }
}
