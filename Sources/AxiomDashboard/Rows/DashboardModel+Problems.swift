// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomProfile
internal import AxiomResilience

extension DashboardModel {
    /// What is wrong now.
    func findProblems(_ facts: RowFacts) -> [ProblemBook.Problem] {
        facts.circuits.compactMap { problem($0) } + facts.verdicts.compactMap { problem($0) }
            + (facts.errors?.groups ?? []).compactMap { problem($0) } + facts.census.compactMap { problem($0) }
            + budgetProblems(facts) + graphProblems() + telemetryProblems()
    }

    private func problem(_ fact: CircuitFact) -> ProblemBook.Problem? {
        let name = fact.summary.name
        let (isBad, text, past): (Bool, String, String)
        switch fact.summary.state {
        case .open, .forcedOpen: (isBad, text, past) = (true, "is open", "was open")
        case .halfOpen: (isBad, text, past) = (false, "is half-open", "was half-open")
        case .shadow where fact.wouldBeOpen: (isBad, text, past) = (false, "would be open", "would have been open")
        default: return nil
        }
        return ProblemBook.Problem(
            key: "circuit/\(name)",
            isBad: isBad,
            panel: "circuits",
            component: components.id(named: name),
            text: "Circuit \(name) \(text)",
            past: "Circuit \(name) \(past)"
        )
    }

    private func problem(_ verdict: RegressionVerdict) -> ProblemBook.Problem? {
        guard verdict.verdict.kind == .regressed else { return nil }
        let worst = verdict.findings.filter(\.isRegressed).max { $0.ratio < $1.ratio }
        func text(_ verb: String) -> String {
            let how = worst.map {
                "p\(Int(($0.percentile * 100).rounded())) \(verb) \($0.ratio.significant(3))× its baseline"
            }
            return "\(verdict.component).\(verdict.action) \(how ?? "\(verb) slower than its baseline")"
        }
        return ProblemBook.Problem(
            key: "regression/\(verdict.component)/\(verdict.action)",
            isBad: true,
            panel: "regressions",
            component: components.id(named: verdict.component),
            text: text("is"),
            past: text("was")
        )
    }

    /// For five minutes a critical error is a problem by itself, another one when it comes five times in them.
    private func problem(_ group: ErrorGroup) -> ProblemBook.Problem? {
        let lately = group.rate(minutes: 5, at: clock.now) * 300
        guard lately >= (group.severity == .critical ? 0.5 : 4.5) else { return nil }
        let (name, code) = (group.fingerprint.component.name, group.fingerprint.code ?? group.fingerprint.type)
        return ProblemBook.Problem(
            key: "error/\(name)/\(group.fingerprint.type)/\(code)",
            isBad: group.severity != .warning,
            panel: "errors",
            component: components.id(named: name),
            text: "\(name): \(code), \(group.count) \(group.count == 1 ? "error" : "errors")",
            at: grid.seconds(group.lastSeen)
        )
    }

    private func problem(_ row: CensusRow) -> ProblemBook.Problem? {
        guard row.leakSuspects > 0 else { return nil }
        let what = row.leakSuspects == 1 ? "1 leak suspect" : "\(row.leakSuspects) leak suspects"
        return ProblemBook.Problem(
            key: "leak/\(row.component.kind)/\(row.component.name)",
            isBad: false,
            panel: "lifetimes",
            component: components.id(named: row.component.name),
            text: "\(row.component.name): \(what)",
            past: "\(row.component.name) had \(what)"
        )
    }

    private func telemetryProblems() -> [ProblemBook.Problem] {
        guard let dropped = history.fine.last?[11], dropped > 0 else { return [] }
        return [
            ProblemBook.Problem(
                key: "dropped",
                isBad: false,
                panel: "telemetry",
                component: nil,
                text: "Telemetry drops \(dropped) a second",
                past: "Telemetry dropped \(dropped) a second"
            )
        ]
    }
}
