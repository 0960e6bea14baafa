// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience
internal import AxiomStatistics

// What is wrong at one moment.
extension ObservedMoment {
    /// The findings, those that follow from another one with the key of their cause, and the causes.
    var problems: [Problem] {
        let findings = findings
        guard !findings.isEmpty else { return [] }
        let slow = findings.filter { $0.symptom == .slow }
        // A single finding follows from no other one.
        let isSlow = !slow.isEmpty && (findings.count > 1 || slow[0].level != .observation)
        var folding = CauseFolding(observed.graph.edges, isSlow ? callTimes(of: slow) : CallTimes())
        return folding.fold(findings, components)
    }

    private var findings: [Problem] {
        observed.breakers.compactMap { problem($0) } + observed.verdicts.compactMap { problem($0.verdict) }
            + errorProblems + observed.census.compactMap { problem($0) }
            + observed.actions.map { problem($0) } + capabilityProblems + budgetProblems + hangProblems + graphProblems
            + telemetryProblems + budgetObservations + countedObservations + trendObservations
    }

    private func problem(_ breaker: BreakerReading) -> Problem? {
        let name = breaker.summary.name
        guard let (level, text, past, symptom) = standing(of: breaker) else { return nil }
        let error = breaker.lastErrorName.map { ", last error \($0)" } ?? ""
        return Problem(
            key: "circuit/\(name)",
            level: level,
            kind: .circuit,
            component: id(named: name),
            text: "Circuit \(name) \(text)\(error)",
            reason: breaker.owner == nil ? name : breaker.lastErrorName ?? "",
            past: "Circuit \(name) \(past)\(error)",
            symptom: symptom,
            subjects: breaker.owner.map { [$0.name] } ?? []
        )
    }

    /// What a problem says of a breaker, now and when it has ended; nil if nothing is wrong.
    private func standing(
        of breaker: BreakerReading
    ) -> (level: ProblemLevel, text: String, past: String, symptom: Symptom)? {
        let openings = openings(of: breaker)
        let often = openings >= Self.flapping ? "opened \(openings) times in 5 minutes" : nil
        switch (breaker.summary.state, often) {
        case (.closed, let often?), (.open, let often?), (.halfOpen, let often?):
            return (.bad, "flaps: \(often)", "flapped: \(often)", .flapping)
        case (.open, nil), (.forcedOpen, _): return (.bad, "is open", "was open", .circuit)
        case (.halfOpen, nil) where !isIdle(breaker): return (.warning, "is half-open", "was half-open", .circuit)
        case (.shadow, _) where breaker.wouldBeOpen:
            return (.warning, "would be open", "would have been open", .shadowCircuit)
        default: return nil
        }
    }

    /// A breaker that opens so often in five minutes flaps: its problem lasts, while it closes and opens again. The rule
    /// AxiomCircuitFlapping counts in the same way, and waits for more than three openings in 15 minutes.
    private static let flapping: UInt64 = 3

    /// How often a breaker opened from the closed state in the last five minutes. In an outage its probes fail, and it
    /// opens from the half-open state.
    private func openings(of breaker: BreakerReading) -> UInt64 {
        history.counts.count(.opening, breaker.summary.name, in: RecentCounts.window)
    }

    /// Whether a half-open breaker had no calls in the last minute: the next one is its probe, and nothing is wrong.
    private func isIdle(_ breaker: BreakerReading) -> Bool {
        let counts = breaker.summary.counts
        guard history.markAge >= History.window - History.interval,
            let before = history.mark?.circuits[breaker.summary.name]
        else { return false }
        return counts.offered == before.offered && counts.inFlight == 0
    }

    /// What a developer did to a component, so that its effects are not taken for faults of the application.
    private func problem(_ action: ActionInForce) -> Problem {
        let name = action.action.component
        return Problem(
            key: Self.key(action.part, name),
            level: .warning,
            kind: .action,
            component: id(named: name),
            text: action.sentence,
            reason: action.part.rawValue,
            subjects: [name]
        )
    }

    static func key(_ part: DeveloperAction.Part, _ component: String) -> String {
        "action/\(part.rawValue)/\(component)"
    }

    private func problem(_ verdict: RegressionVerdict) -> Problem? {
        guard verdict.verdict.kind == .regressed else { return nil }
        let worst = verdict.findings.filter(\.isRegressed).max { $0.ratio < $1.ratio }
        func text(_ verb: String) -> String {
            let how = worst.map {
                "p\(Int(($0.percentile * 100).rounded())) \(verb) \($0.ratio.significant(3))× its baseline"
            }
            let functions = verdict.functions.map { ": \($0)" } ?? ""
            return "\(verdict.component).\(verdict.action) \(how ?? "\(verb) slower than its baseline")\(functions)"
        }
        return Problem(
            key: "regression/\(verdict.component)/\(verdict.action)",
            level: .bad,
            kind: .regression,
            component: id(named: verdict.component),
            text: text("is"),
            reason: verdict.action,
            past: text("was"),
            symptom: .slow,
            subjects: [verdict.component]
        )
    }

    private func problem(_ row: CensusRow) -> Problem? {
        guard row.leakSuspects > 0 else { return nil }
        let what = row.leakSuspects == 1 ? "1 leak suspect" : "\(row.leakSuspects) leak suspects"
        return Problem(
            key: "leak/\(row.component.kind)/\(row.component.name)",
            level: .warning,
            kind: .leak,
            component: id(named: row.component.name),
            text: "\(row.component.name): \(what)",
            past: "\(row.component.name) had \(what)"
        )
    }

    private var budgetProblems: [Problem] {
        (observed.budgets?.rows ?? []).compactMap(budgetProblem)
    }

    /// A confirmed budget is a problem while it burns. Its row shows what was missed before.
    private func budgetProblem(of row: BudgetReport.Row) -> Problem? {
        let confirmed = row.components.filter(\.isConfirmed)
        let missed = confirmed.filter { $0.status == .missed }.map(\.name)
        guard !missed.isEmpty, let share = confirmed.counts(in: \.fiveMinutes).share,
            1 - share > 1 - row.budget.objective
        else { return nil }
        let limits = Set(confirmed.map(\.limit))
        let limit = limits.count == 1 ? "\(confirmed[0].limit)" : "their limits"
        let over = "\(QuantityText.percentage(1 - share)) over \(limit) in 5 minutes"
        let only = missed.count == 1 ? missed[0] : nil
        let text = "missed\(only.map { " by \($0)" } ?? ""): \(over)"
        let allowed = "\(QuantityText.percentage(1 - row.budget.objective)) allowed"
        return Problem(
            key: "budget/\(row.budget.id)",
            level: .bad,
            kind: .budget,
            component: only.flatMap { id(named: $0) },
            text: "Budget \(row.budget.id) is \(text), \(allowed)",
            reason: "\(row.budget.id)",
            past: "Budget \(row.budget.id) was \(text), \(allowed)",
            symptom: row.budget.limit.unit == .time ? .slow : .other,
            subjects: missed
        )
    }

    private var graphProblems: [Problem] {
        observed.graph.edges.compactMap { edge in
            guard let objection = observed.graph.objections[edge] else { return nil }
            return Problem(
                key: "edge/\(edge.from)/\(edge.to)",
                level: .warning,
                kind: .dependency,
                component: id(named: edge.from.name),
                text: "\(edge.from.name) uses \(edge.to.name): \(objection)",
                reason: edge.to.name
            )
        }
    }

    private var telemetryProblems: [Problem] {
        guard let dropped = history.fine.last?[.dropped], dropped > 0 else { return [] }
        return [
            Problem(
                key: "dropped",
                level: .warning,
                kind: .telemetry,
                component: nil,
                text: "Telemetry drops \(dropped) a second",
                past: "Telemetry dropped \(dropped) a second"
            )
        ]
    }
}
