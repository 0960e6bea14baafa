// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomMetrics
internal import AxiomResilience

/// The circuit breakers of an application: one for each client type, one for each context type with a rule, and those
/// that the application watches.
final class CircuitCollector: Collector {
    private struct Breakers {
        /// All breakers in the order in which they were added. Their names are unique.
        var all: [CircuitBreaker] = []
        /// The breakers of components. All others are watched and guard no component, whatever their names.
        var ofComponents: [ComponentDescriptor: CircuitBreaker] = [:]
        /// The rules whose types have been registered.
        var usedRules: Set<ObjectIdentifier> = []
    }

    /// The rules by type. Each has been checked by creating a breaker from it once.
    private let rules: [ObjectIdentifier: BreakerRule]
    private let clock: TimeSource
    private let detail: DetailLevel
    /// Guarded by its lock, which is taken when a component type is registered and at a scrape.
    private let breakers = Lock(Breakers())
    let transitions = TransitionLog()

    /// - Throws: ``TelemetryError`` if a configuration is invalid for a breaker, or a type has a second rule.
    init(_ rules: [BreakerRule], clock: TimeSource, detail: DetailLevel) throws(TelemetryError) {
        var table: [ObjectIdentifier: BreakerRule] = [:]
        for rule in rules {
            let name = String(describing: rule.type)
            guard table.updateValue(rule, forKey: rule.identifier) == nil else {
                throw TelemetryError.twoBreakers(name)
            }
            do {
                _ = try CircuitBreaker(
                    name: name,
                    rule.configuration,
                    clock: clock,
                    file: rule.file,
                    line: rule.line
                )
            } catch {
                throw TelemetryError.invalidBreaker(name, error)
            }
        }
        self.rules = table
        self.clock = clock
        self.detail = detail
    }

    /// The breaker of a client type, in shadow mode if it has no rule.
    ///
    /// - Parameter type: The type under which the client is registered; the rules use it too.
    func breaker(ofClient type: any AnyObject.Type, _ component: ComponentDescriptor) -> CircuitBreaker? {
        make(component, use(type)?.configuration ?? CircuitBreakerConfiguration(mode: .shadow))
    }

    /// The breaker of a context type; nil if it has no rule.
    func breaker(ofContext type: any AnyObject.Type, _ component: ComponentDescriptor) -> CircuitBreaker? {
        use(type).flatMap { make(component, $0.configuration) }
    }

    /// The types that have a rule but are not registered, in order.
    var unusedRules: [String] {
        let used = breakers.withLock { $0.usedRules }
        return rules.filter { !used.contains($0.key) }.map { "\($1.kind) \($1.type)" }.sorted()
    }

    private func use(_ type: any AnyObject.Type) -> BreakerRule? {
        guard let rule = rules[ObjectIdentifier(type)] else { return nil }
        breakers.withLock { _ = $0.usedRules.insert(ObjectIdentifier(type)) }
        return rule
    }

    /// Adds a breaker of the application to the page.
    func watch(_ breaker: CircuitBreaker) throws(TelemetryError) {
        let isKnown = breakers.withLock { breakers in
            if let known = breakers.all.first(where: { $0.name == breaker.name }) { return known === breaker }
            breakers.all.append(breaker)
            transitions.follow(breaker)
            return true
        }
        guard isKnown else { throw TelemetryError.twoBreakers(breaker.name) }
    }

    /// All breakers, in the order in which they were added.
    var all: [CircuitBreaker] { breakers.withLock { $0.all } }

    /// The guarded components by the breaker's name. Watched breakers guard none.
    var owners: [String: ComponentDescriptor] {
        let pairs = breakers.withLock { $0.ofComponents.map { ($1.name, $0) } }
        return Dictionary(pairs) { first, _ in first }
    }

    func collect() -> [CollectedFamily] {
        var families = CircuitFamilies(detail)
        // Each by its own clock: a watched breaker may have a different one.
        for breaker in all { families.add(breaker.summary(), breaker.configuration) }
        return families.all
    }

    /// The breaker of a component, the same one each time. It has the component's name, or `name#2` and so on if the
    /// application watches a breaker of that name.
    ///
    /// The creation cannot fail: the configurations were checked, and a component's name is never empty.
    private func make(_ component: ComponentDescriptor, _ configuration: CircuitBreakerConfiguration) -> CircuitBreaker?
    {
        breakers.withLock { breakers in
            if let known = breakers.ofComponents[component] { return known }
            let name = ComponentNames.free(component.name, among: Set(breakers.all.map(\.name)))
            guard let breaker = try? CircuitBreaker(name: name, configuration, clock: clock) else { return nil }
            breakers.all.append(breaker)
            breakers.ofComponents[component] = breaker
            transitions.follow(breaker)
            return breaker
        }
    }
}

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

    init(_ detail: DetailLevel) {
        self.detail = detail
    }

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
        case .predicate: edge.from == .closed && tripWhen != nil
        default: false
        }
    }
}
