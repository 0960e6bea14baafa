// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomMetrics
import Testing

@testable import AxiomInstrumentation

/// The module of navigation records through the port of the framework, and is not needed here.
@Suite("The budget of navigation")
struct NavigationBudgetTests {
    private let durations = SignalFamily(
        "axiom_navigation_duration_seconds",
        .seconds,
        help: "How long transitions and their phases took.",
        labels: ["flow", "route", "phase"]
    )
    private let telemetry: Telemetry

    init() throws {
        telemetry = try Telemetry(detail: .full)
    }

    private func record(_ values: [String], milliseconds: [Int64]) {
        let signal = telemetry.signal(durations, values)
        for time in milliseconds { signal?.observe(nanoseconds: time * 1_000_000) }
    }

    @Test("Transitions of each flow are checked against the budget, and one beyond it misses the budget")
    func checked() throws {
        #expect(telemetry.budgets.report.row(.navigation)?.status == .notMeasured)
        record(["shop", "product", "total"], milliseconds: [2, 4])
        record(["shop", "cart", "total"], milliseconds: [10])
        #expect(telemetry.budgets.report.row(.navigation)?.status == .met)
        record(["account", "login", "total"], milliseconds: [12])
        let row = try #require(telemetry.budgets.report.row(.navigation))
        #expect(row.status == .missed)
        #expect(row.components.map(\.name) == ["account", "shop"])
        #expect(row.components.map(\.counts) == [BudgetCounts(checks: 1, violations: 1), BudgetCounts(checks: 3)])
        #expect(row.components[0].worst.map(\.action) == ["login"])
        #expect((0.0108...0.012).contains(try #require(row.p99)))
        let labels = ["budget": "navigation", "component": "account"]
        #expect(telemetry.registry.collect().value("axiom_budget_violations_total", labels) == 1)
    }

    @Test("The mean time of navigation is that of all transitions")
    func mean() throws {
        #expect(telemetry.budgets.report.row(.navigation)?.mean == nil)
        record(["shop", "product", "total"], milliseconds: [2, 4])
        record(["account", "login", "total"], milliseconds: [6])
        let mean = try #require(telemetry.budgets.report.row(.navigation)?.mean)
        #expect(abs(mean - 0.004) < 1e-9)
    }

    @Test("A phase of a transition is no transition, and neither is another family or a value that is no number")
    func others() throws {
        record(["shop", "product", "create"], milliseconds: [50])
        record(["shop", "product", "middleware"], milliseconds: [50])
        let other = SignalFamily("axiom_test_seconds", .seconds, help: "A test.", labels: ["flow", "route", "phase"])
        telemetry.signal(other, ["shop", "product", "total"])?.observe(nanoseconds: 50_000_000)
        telemetry.signal(durations, ["shop", "product", "total"])?.observe(.nan)
        #expect(telemetry.budgets.report.row(.navigation)?.status == .notMeasured)
        telemetry.signal(durations, ["shop", "product", "total"])?.observe(1e300)
        #expect(telemetry.budgets.report.row(.navigation)?.counts == BudgetCounts(checks: 1, violations: 1))
    }

    @Test("A removed budget checks nothing, and the durations are recorded all the same")
    func removed() throws {
        let telemetry = try Telemetry(budgets: [.remove(.navigation)])
        telemetry.signal(durations, ["shop", "product", "total"])?.observe(nanoseconds: 50_000_000)
        #expect(telemetry.budgets.report.row(.navigation)?.counts.checks ?? 0 == 0)
        let labels = ["flow": "shop", "route": "product", "phase": "total"]
        #expect(telemetry.registry.collect().value("axiom_navigation_duration_seconds", labels) == 1)
    }
}
