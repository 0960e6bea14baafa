// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation
internal import AxiomResilience

/// Compares one expectation with what was recorded.
struct ExpectationCheck {
    let expectation: TelemetryExpectation
    let telemetry: Telemetry
    /// What was recorded since the beginning.
    let recorded: RecordCounts
    /// What had been recorded at the beginning.
    let baseline: TelemetryBaseline

    struct Result {
        /// The records that the expectation lists.
        var matches: [TelemetryRecord] = []
        /// Nil if the expectation is met.
        var failure: String?
    }

    func run() -> Result {
        if expectation.count.isNegative {
            return Result(failure: "Expected \(expectation.source), but no count is negative. Give 0 or more.")
        }
        if case .gauge(let labels, let value) = expectation.pattern { return Result(failure: gauge(labels, value)) }
        guard let subject = expectation.subject.resolved(among: subjects) else {
            // A family exists from its first signal on.
            if case .signal = expectation.pattern, expectation.count.contains(0) { return Result() }
            return Result(failure: unknownSubject)
        }
        if let failure = unknownAction(of: subject) { return Result(failure: failure) }
        let matches = recorded.counts.keys.filter { expectation.pattern.matches($0, subject) }
        let count = matches.reduce(0) { $0 + recorded[$1] }
        var result = Result(matches: matches)
        if !expectation.count.contains(count) {
            result.failure = "Expected \(expectation.source), found \(count).\n\(nearest(to: subject, except: matches))"
        } else if let budget = expectation.budget, case .action(let name, let outcome) = expectation.pattern {
            result.failure = ActionBudgetCheck(
                telemetry: telemetry,
                baseline: baseline,
                component: subject,
                action: name,
                outcome: outcome,
                budget: budget
            ).failure(count).map { "Expected \(expectation.source), found \($0)" }
        }
        return result
    }
}

// MARK: - Names

extension ExpectationCheck {
    /// The names that the subject of the expectation may have.
    private var subjects: Set<String> {
        switch expectation.pattern {
        case .transition: Set(telemetry.breakers.map(\.name))
        case .signal, .gauge: Set(telemetry.readings.signals(atMost: 1, except: []).map(\.family.name))
        default: Set(telemetry.readings.components.map(\.component.name))
        }
    }

    private var unknownSubject: String {
        let name = expectation.subject.name
        let nearest = Nearest.name(to: name, among: subjects).map { "\nNearest: \($0)." } ?? ""
        let reason =
            switch expectation.pattern {
            case .transition: "there is no circuit breaker \(name)."
            case .signal, .gauge: "no module has the signal \(name)."
            default: "\(name) is not registered with the orchestrator of this telemetry."
            }
        return "Expected \(expectation.source), but \(reason)\(nearest)"
    }

    /// Why no such action can occur; nil if it can.
    private func unknownAction(of subject: String) -> String? {
        guard case .action(let name, _) = expectation.pattern else { return nil }
        let known = telemetry.readings.actions.actions.filter { $0.component.name == subject }.map(\.name)
        guard !known.contains(name) else { return nil }
        guard let nearest = Nearest.name(to: name, among: known) else {
            let reason = "\(subject) has no actions, or none of its instances was created."
            return "Expected \(expectation.source), but \(reason)"
        }
        return """
            Expected \(expectation.source), but \(subject) has no action \(name).
            Nearest: \(nearest). Its actions: \(known.joined(separator: ", ")).
            """
    }

    /// The record of the same kind, of the same subject if there is one, that is most like the expected one and does not
    /// match it.
    private func nearest(to subject: String, except matches: [TelemetryRecord]) -> String {
        let text = expectation.source
        let alike = recorded.counts.filter { !matches.contains($0.key) && $0.key.kind == expectation.pattern.kind }
        let own = alike.filter { $0.key.subject == subject }
        let candidates = (own.isEmpty ? alike : own).map { $0.key.source(count: $0.value) }
        guard let nearest = Nearest.name(to: text, among: candidates) else {
            return recorded.counts.isEmpty ? "Nothing was recorded." : "Nothing else of this kind was recorded."
        }
        return "Nearest: \(nearest)"
    }
}

// MARK: - Gauges

extension ExpectationCheck {
    private func gauge(_ labels: [String: String], _ value: Double) -> String? {
        let readings = telemetry.readings.signals(atMost: .max, except: []).filter { $0.family.kind == .gauge }
        let family = readings.filter { $0.family.name == expectation.subject.name }
        guard !family.isEmpty else { return unknownSubject }
        let found = family.filter { labels.isPart(of: $0.labels) }
        guard !found.isEmpty else {
            let known = family.map { TelemetryRecord.source(of: $0.labels) }
            let nearest = Nearest.name(to: expectation.source, among: known) ?? ""
            return "Expected \(expectation.source), but there is no gauge with these labels.\nNearest: \(nearest)"
        }
        let sum = found.reduce(0) { $0 + $1.value }
        return sum == value ? nil : "Expected \(expectation.source), found \(sum)."
    }
}

extension [String: String] {
    /// Whether each of these labels has its value among `labels`.
    fileprivate func isPart(of labels: [TelemetryRecord.SignalLabel]) -> Bool {
        allSatisfy { name, value in
            labels.contains { $0.name == name && $0.value == value }
                || value.isEmpty && !labels.contains { $0.name == name }
        }
    }

    fileprivate var labels: [TelemetryRecord.SignalLabel] {
        sorted { $0.key < $1.key }.map { .init(name: $0.key, value: $0.value) }
    }
}

// MARK: - Patterns

extension TelemetryExpectation {
    /// The expectation as Swift source.
    var source: String {
        let subject = subject.name
        let count = "count: \(count.source)"
        let body =
            switch pattern {
            case .action(let name, let outcome):
                #"action("\#(name)", of: \#(subject).self, .\#(outcome.rawValue), \#(count)"#
            case .state: "state(of: \(subject).self, \(count)"
            case .observation: "observation(of: \(subject).self, \(count)"
            case .coalesced: "coalesced(of: \(subject).self, \(count)"
            case .error(let name): #"error("\#(name)", in: \#(subject).self, \#(count)"#
            case .recovery(let name, let outcome):
                #"recovery("\#(name)", in: \#(subject).self, .\#(outcome.rawValue), \#(count)"#
            case .transition(let from, let to):
                #"breaker("\#(subject)", from: .\#(from.source), to: .\#(to.source), \#(count)"#
            case .created: "created(\(subject).self, \(count)"
            case .destroyed: "destroyed(\(subject).self, \(count)"
            case .phase(let phase): "phase(.\(phase.rawValue), of: \(subject).self, \(count)"
            case .signal(let labels): #"signal("\#(subject)", \#(TelemetryRecord.source(of: labels.labels)), \#(count)"#
            case .gauge(let labels, let value):
                #"gauge("\#(subject)", \#(TelemetryRecord.source(of: labels.labels)), is: \#(value)"#
            }
        return ".\(body)" + (budget.map { #", within: "\#($0)""# } ?? "") + ")"
    }
}

extension TelemetryExpectation.Pattern {
    /// The kind of the records that match.
    var kind: RecordKinds {
        switch self {
        case .action: .actions
        case .state: .states
        case .observation, .coalesced: .observations
        case .error, .recovery: .errors
        case .transition: .breakers
        case .created, .destroyed: .lifetimes
        case .phase: .phases
        case .signal, .gauge: .signals
        }
    }

    /// Whether the pattern with this subject includes a record.
    func matches(_ record: TelemetryRecord, _ subject: String) -> Bool {
        guard record.subject == subject else { return false }
        return switch (self, record.event) {
        case (.action(let name, let outcome), .action(let found, let actual)): name == found && outcome == actual
        case (.state, .state), (.observation, .observation), (.coalesced, .coalesced): true
        case (.created, .created), (.destroyed, .destroyed): true
        case (.error(let name), .error(let code, let type)): name == code || name == type
        case (.recovery(let name, let outcome), .recovery(let code, let type, let actual)):
            (name == code || name == type) && outcome == actual
        case (.transition(let from, let to), .transition(let before, let after)): from == before && to == after
        case (.phase(let phase), .phase(let found)): phase == found
        case (.signal(let labels), .signal(let found, _)): labels.isPart(of: found)
        default: false
        }
    }
}
