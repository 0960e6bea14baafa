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

    private let detail: DetailLevel

    init(_ detail: DetailLevel) { self.detail = detail }

    /// The families that have a series.
    var all: [CollectedFamily] {
        [
            state, stateSeconds, transitions, shadowTransitions, calls, inFlight, slowCalls, shadowRejections,
            failureRatio, slowRatio,
        ].filter { !$0.isEmpty }
    }

    mutating func add(_ summary: CircuitSummary, _ configuration: CircuitBreakerConfiguration) {
        let name = summary.name
        for state in CircuitState.allCases {
            let seconds = (summary.timeInState[state] ?? .zero) / .seconds(1)
            guard detail == .full || Self.decided.contains(state) || seconds > 0 || state == summary.state else {
                continue
            }
            self.state.add(state == summary.state ? 1 : 0, name, state.rawValue)
            stateSeconds.add(seconds, name, state.rawValue)
        }
        addTransitions(summary, configuration)
        addCalls(summary.counts, name)
        failureRatio.add(summary.failureRatio ?? .nan, name)
        if detail == .full || configuration.mode == .shadow || summary.counts.shadowRejections > 0 {
            shadowRejections.add(Double(summary.counts.shadowRejections), name)
        }
        if detail == .full || configuration.slowCallDuration != nil || summary.counts.slow > 0 {
            slowCalls.add(Double(summary.counts.slow), name)
            slowRatio.add(summary.slowRatio ?? .nan, name)
        }
    }

    private mutating func addTransitions(_ summary: CircuitSummary, _ configuration: CircuitBreakerConfiguration) {
        let isShadow = configuration.mode == .shadow
        for transition in summary.transitions {
            let edge = transition.edge
            let labels = [summary.name, edge.from.rawValue, edge.to.rawValue, edge.reason.description]
            let isExpected = configuration.expects(edge)
            if detail == .full || transition.count > 0 || isExpected && !isShadow {
                transitions.add(Double(transition.count), labelValues: labels)
            }
            guard Self.isDecision(edge) else { continue }
            if detail == .full || transition.shadowCount > 0 || isExpected && isShadow {
                shadowTransitions.add(Double(transition.shadowCount), labelValues: labels)
            }
        }
    }

    /// The states that the breaker itself enters. They are on each page from the start.
    private static let decided: Set<CircuitState> = [.closed, .open, .halfOpen]

    private mutating func addCalls(_ counts: CircuitCounts, _ name: String) {
        calls.add(Double(counts.success), name, "success")
        calls.add(Double(counts.failure), name, "failure")
        if detail == .full || counts.ignored > 0 { calls.add(Double(counts.ignored), name, "ignored") }
        if detail == .full || counts.cancelled > 0 { calls.add(Double(counts.cancelled), name, "cancelled") }
        calls.add(Double(counts.rejected), name, "rejected")
        inFlight.add(Double(counts.inFlight), name)
    }

    /// Whether the breaker itself decides the transition, rather than an operator or the configuration.
    private static func isDecision(_ edge: CircuitEdge) -> Bool {
        edge.reason != .operatorOrdered && edge.reason != .reconfigured
    }
}

extension CircuitBreakerConfiguration {
    /// Whether a breaker with this configuration makes the transition as a rule, so that it is on a lean page with the
    /// value 0. Transitions by an operator, by a result's own decision or after a hanging probe appear when they happen.
    fileprivate func expects(_ edge: CircuitEdge) -> Bool {
        switch edge.reason {
        case .openTimeOver, .probesFailed: true
        case .probesPassed: ramp == nil
        case .rampComplete: ramp != nil
        case .failureRate: edge.from == .closed && failureRateThreshold != nil
        case .consecutiveFailures: edge.from == .closed && consecutiveFailures != nil
        case .slowRate: edge.from == .closed && slowCallDuration != nil
        case .probesSlow: slowCallDuration != nil
        default: false
        }
    }
}
