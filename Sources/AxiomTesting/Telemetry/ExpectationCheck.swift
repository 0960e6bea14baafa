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
        if case .gauge(let labels, let value) = expectation.event { return Result(failure: gauge(labels, value)) }
        guard let subject = expectation.subject.resolved(among: subjects) else {
            // A family exists from its first signal on.
            if case .signal = expectation.event, expectation.count.contains(0) { return Result() }
            return Result(failure: unknownSubject)
        }
        if let failure = unknownAction(of: subject) { return Result(failure: failure) }
        let expected = TelemetryRecord(subject: subject, event: expectation.event)
        let matches = recorded.counts.keys.filter(expected.includes)
        let count = matches.reduce(0) { $0 + recorded[$1] }
        var result = Result(matches: matches)
        if !expectation.count.contains(count) {
            result.failure = "Expected \(expectation.source), found \(count).\n\(nearest(to: subject, except: matches))"
        } else if let budget = expectation.budget, case .action(let name, let outcome) = expectation.event {
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

    // MARK: - Names

    /// The names that the subject of the expectation may have.
    private var subjects: Set<String> {
        switch expectation.event {
        case .transition: Set(telemetry.breakers.map(\.name))
        case .signal, .gauge: Set(telemetry.readings.signals(atMost: 1, except: []).map(\.family.name))
        default: Set(telemetry.readings.components.map(\.component.name))
        }
    }

    private var unknownSubject: String {
        let name = expectation.subject.name
        let nearest = Nearest.names(to: name, among: subjects).first.map { "\nNearest: \($0)." } ?? ""
        let reason =
            switch expectation.event {
            case .transition: "there is no circuit breaker \(name)."
            case .signal, .gauge: "no module has the signal \(name)."
            default: "\(name) is not registered with the orchestrator of this telemetry."
            }
        return "Expected \(expectation.source), but \(reason)\(nearest)"
    }

    /// Why no such action can occur; nil if it can.
    private func unknownAction(of subject: String) -> String? {
        guard case .action(let name, _) = expectation.event else { return nil }
        let known = telemetry.readings.actions.actions.filter { $0.component.name == subject }.map(\.name)
        guard !known.contains(name) else { return nil }
        guard let nearest = Nearest.names(to: name, among: known).first else {
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
        let alike = recorded.counts.filter { !matches.contains($0.key) && $0.key.kind == expectation.record.kind }
        let own = alike.filter { $0.key.subject == subject }
        let candidates = (own.isEmpty ? alike : own).map { $0.key.source(count: $0.value) }
        guard let nearest = Nearest.names(to: text, among: candidates).first else {
            return recorded.counts.isEmpty ? "Nothing was recorded." : "Nothing else of this kind was recorded."
        }
        return "Nearest: \(nearest)"
    }

    // MARK: - Gauges

    private func gauge(_ labels: [TelemetryRecord.SignalLabel], _ value: Double) -> String? {
        let readings = telemetry.readings.signals(atMost: .max, except: []).filter { $0.family.kind == .gauge }
        let family = readings.filter { $0.family.name == expectation.subject.name }
        guard !family.isEmpty else { return unknownSubject }
        let found = family.filter { labels.areIn($0.labels) }
        guard !found.isEmpty else {
            let known = family.map { TelemetryRecord.source(of: $0.labels) }
            let nearest = Nearest.names(to: expectation.source, among: known).first ?? ""
            return "Expected \(expectation.source), but there is no gauge with these labels.\nNearest: \(nearest)"
        }
        let sum = found.reduce(0) { $0 + $1.value }
        return sum == value ? nil : "Expected \(expectation.source), found \(sum)."
    }
}
