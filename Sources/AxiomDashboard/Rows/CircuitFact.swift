// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience

/// One circuit breaker at one moment.
struct CircuitFact: Sendable {
    let summary: CircuitSummary
    let configuration: CircuitBreakerConfiguration
    let lastError: String?

    /// Reads the breaker by its own clock.
    init(_ breaker: CircuitBreaker) {
        summary = breaker.summary()
        configuration = breaker.configuration
        lastError = breaker.lastError.map { String(describing: $0) }
    }

    var isShadow: Bool { summary.state == .shadow }
    var wouldBeOpen: Bool { isShadow && summary.decidedState == .open }

    /// In the words of the page.
    var state: String { isShadow ? "closed" : Self.word(summary.state) }

    static func word(_ state: CircuitState) -> String {
        switch state {
        case .closed: "closed"
        case .open: "open"
        case .halfOpen: "half-open"
        case .forcedOpen: "forced-open"
        case .disabled: "disabled"
        case .shadow: "shadow"
        }
    }
}

extension DashboardModel {
    mutating func circuitRows(_ facts: RowFacts) -> [Row] {
        let logs = telemetry?.transitions.transitions ?? [:]
        let owners = telemetry?.breakerOwners ?? [:]
        ids.circuits.keep(facts.circuits.map(\.summary.name))
        return facts.circuits.map { fact in
            let (summary, rules) = (fact.summary, fact.configuration)
            let log = logs[summary.name] ?? []
            let (hasRatio, calls) = (summary.failureRatio != nil, summary.window.calls)
            let rejected = summary.counts.rejected - (mark?.rejectedByCircuit[summary.name] ?? 0)
            return Row(
                id: ids.circuits.id(summary.name),
                values: [
                    .words(summary.name), .component(owners[summary.name].map { components.id($0) }), .text(fact.state),
                    .flag(fact.isShadow), .flag(fact.wouldBeOpen),
                    .moment(log.last.map { grid.seconds($0.instant) } ?? startedAt),
                    .moment(fact.isShadow ? nil : summary.openUntil.map { grid.seconds($0) }),
                    .measured(hasRatio ? summary.failureRatio : nil), .measured(rules.failureRateThreshold),
                    .measured(summary.slowRatio),
                    .measured(rules.slowCallDuration == nil ? nil : rules.slowCallRateThreshold),
                    .count(calls), .count(rules.minimumCalls), rules.window.callCapacity.map { .count($0) } ?? .none,
                    .count(summary.halfOpenPermitsInUse), .count(rules.halfOpenPermits),
                    .count(summary.counts.rejected), .measured(Double(rejected) / markAge),
                    .count(summary.counts.shadowRejections), .words(fact.lastError, limit: 300), transitions(log),
                ]
            )
        }
    }

    private func transitions(_ log: [CircuitTransition]) -> Value {
        var json = JSONText()
        json.list(log) { json, transition in
            json.raw("{\"at\":" as StaticString)
            Value.moment(grid.seconds(transition.instant)).write(to: &json)
            json.raw(",\"from\":" as StaticString)
            json.string(CircuitFact.word(transition.from))
            json.raw(",\"to\":" as StaticString)
            json.string(CircuitFact.word(transition.to))
            json.raw(",\"reason\":" as StaticString)
            json.string(transition.reasonInWords)
            json.raw("}" as StaticString)
        }
        return .json(json.bytes)
    }
}

extension CircuitTransition {
    /// Such as `failure rate`.
    var reasonInWords: String {
        String(reason.description.map { $0 == "_" ? " " : $0 })
    }
}
