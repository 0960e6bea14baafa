// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import Testing

@Suite("Budgets of the application's own")
@MainActor
struct OwnBudgetTests {
    private struct Refused: Error {}

    private let time = ManualTime()
    private let telemetry: Telemetry

    init() throws {
        let budget = PerformanceBudget("sync", "Syncs", limit: .milliseconds(10), statistic: .every)
        telemetry = try Telemetry(
            budgets: [.add(budget)],
            onBudgetViolation: { _ in },
            detail: .full,
            clock: .manual(time)
        )
    }

    private func value(_ family: String) -> Double? {
        telemetry.registry.collect().value(family, ["budget": "sync", "component": "application"])
    }

    @Test("A budget of the application's own is checked under its label, and other labels are not budgets (PRF-01)")
    func ownBudget() async throws {
        #expect(value("axiom_budget_checks_total") == 0)
        #expect(telemetry.budgets.report.row("sync")?.status == .notMeasured)
        for label in ["sync", "sync", "other", "client_action"] {
            await telemetry.performance.measure(label) { time.advance(by: .milliseconds(10)) }
        }
        #expect(telemetry.budgets.report.row("sync")?.status == .met)
        await telemetry.performance.measure("sync") { time.advance(by: .milliseconds(11)) }
        #expect(telemetry.budgets.report.row("sync")?.status == .missed)
        #expect(value("axiom_budget_checks_total") == 3)
        #expect(value("axiom_budget_violations_total") == 1)
        #expect(telemetry.budgets.report.row("client_action")?.status == .notMeasured)
    }

    @Test("A measured operation returns its value, and its duration counts whether it throws or not (PRF-01)")
    func outcomes() async throws {
        let answer = await telemetry.performance.measure("sync") {
            time.advance(by: .milliseconds(2))
            return 7
        }
        #expect(answer == 7)
        await #expect(throws: Refused.self) {
            try await telemetry.performance.measure("sync") {
                time.advance(by: .milliseconds(20))
                throw Refused()
            }
        }
        let row = try #require(telemetry.budgets.report.row("sync"))
        #expect(row.counts == BudgetCounts(checks: 2, violations: 1))
        #expect(abs((row.mean ?? 0) - 0.011) < 1e-9)
    }
}
