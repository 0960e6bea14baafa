// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

@Suite("The lean page of metrics")
@MainActor
struct LeanPageTests {
    private static let onlyFull: Set<String> = [
        "axiom_component_info", "axiom_component_destroyed_total", "axiom_budget_duration_seconds",
        "axiom_budget_bytes",
    ]
    /// No breaker of the sample application enforces or has a slow-call duration, nothing recovers, and no budget is
    /// confirmed.
    private static let unused: Set<String> = [
        "axiom_circuit_transitions_total", "axiom_circuit_slow_calls_total", "axiom_circuit_slow_ratio",
        "axiom_error_recoveries_total", "axiom_error_recovery_duration_seconds",
        "axiom_budget_limit_seconds", "axiom_budget_limit_bytes", "axiom_budget_objective_ratio",
    ]

    private func page(_ detail: DetailLevel, budgets: [BudgetRule] = []) async throws -> Snapshot {
        let app = try SampleApp(budgets: budgets, detail: detail)
        try await app.orchestrator.start()
        try await app.runOnce()
        return app.metrics
    }

    private func names(_ page: Snapshot) -> Set<String> {
        Set(page.families.map(\.definition.name))
    }

    @Test("It is the default, and has all families but four, and those of what the application does not use")
    func families() async throws {
        let (lean, full) = (try await page(.lean), try await page(.full))
        #expect(names(full).subtracting(names(lean)) == Self.onlyFull.union(Self.unused))
        #expect(names(lean).isSubset(of: names(full)))
        #expect(names(try Telemetry().registry.collect()).isDisjoint(with: Self.onlyFull))
    }

    @Test("Every duration is a native histogram, recorded once: the classic buckets have the same observations")
    func native() async throws {
        for detail in [DetailLevel.lean, .full] {
            var observations: UInt64 = 0
            for family in try await page(detail).families where family.definition.name.hasSuffix("_seconds") {
                guard family.definition.kind == .histogram else { continue }
                for series in family {
                    let native = try #require(series.exponential, "\(family.definition.name)")
                    #expect(series.histogram?.count == native.count)
                    #expect(series.histogram?.sum == native.sum)
                    observations += native.count
                }
            }
            #expect(observations > 10)
        }
    }

    @Test("An unconfirmed budget has one series, the sum of its components; the full page has one for each")
    func unconfirmedBudgets() async throws {
        let (lean, full) = (try await page(.lean), try await page(.full))
        let checks = "axiom_budget_checks_total"
        for budget in ["context_action", "lifecycle", "client_action"] {
            let series = lean.family(checks)?.filter { $0.labels["budget"] == budget } ?? []
            #expect(series.map { $0.labels["component"] } == [""], "\(budget)")
            #expect(lean.total(checks, where: ["budget": budget]) == full.total(checks, where: ["budget": budget]))
        }
        #expect(lean.family("axiom_budget_confirmed") == nil)
    }

    @Test("A confirmed budget has a series for each component; the confirmation has one series if all are confirmed")
    func confirmedBudgets() async throws {
        let all = try await page(.lean, budgets: [.confirm("client_action")])
        let labels = ["budget": "client_action", "component": "TillClient"]
        #expect(all.value("axiom_budget_checks_total", labels) ?? 0 > 0)
        #expect(all.value("axiom_budget_violations_total", labels) != nil)
        #expect(all.family("axiom_budget_confirmed")?.map { $0.labels["component"] } == [""])

        let one = try await page(.lean, budgets: [.confirm("client_action", for: "TillClient")])
        #expect(one.family("axiom_budget_confirmed")?.map { $0.labels["component"] } == ["TillClient"])
        let shown = one.family("axiom_budget_checks_total")?.filter { $0.labels["budget"] == "client_action" } ?? []
        #expect(shown.map { $0.labels["component"] } == ["", "TillClient"])
    }

    @Test("A breaker has the transitions that it makes by itself, as shadow transitions while it is in shadow mode")
    func transitions() async throws {
        let time = ManualTime()
        let enforcing = CircuitBreakerConfiguration(mode: .enforcing, consecutiveFailures: 2)
        let app = try SampleApp(
            clock: .manual(time),
            breakers: [.client(TillClient.self, enforcing)],
            detail: .lean
        )
        try await app.orchestrator.start()
        func edges(_ family: String, _ breaker: String) -> Set<String> {
            let series = app.metrics.family(family)?.filter { $0.labels["breaker"] == breaker } ?? []
            return Set(series.map { "\($0.labels["from"]) \($0.labels["to"]) \($0.labels["reason"])" })
        }
        let expected: Set = [
            "closed open failure_rate", "open half_open open_time_over", "half_open closed probes_passed",
            "half_open open probes_failed",
        ]
        let breaker = try #require(app.telemetry.breakers.first { $0.name == "TillClient" })
        let own = expected.union(["closed open consecutive_failures"])
        #expect(edges("axiom_circuit_transitions_total", "TillClient") == own)
        #expect(edges("axiom_circuit_shadow_transitions_total", "TillClient") == [])
        #expect(edges("axiom_circuit_transitions_total", "MailClient") == [])
        #expect(edges("axiom_circuit_shadow_transitions_total", "MailClient") == expected)
        // One by an operator appears when it happens, and so does its state.
        breaker.forceOpen()
        let forced = "closed forced_open operator"
        #expect(edges("axiom_circuit_transitions_total", "TillClient") == own.union([forced]))
        let state = ["breaker": "TillClient", "state": "forced_open"]
        #expect(app.metrics.value("axiom_circuit_state", state) == 1)
    }

    @Test("It has less than two fifths of the samples of the full page")
    func size() async throws {
        var counts: [DetailLevel: Int] = [:]
        for detail in [DetailLevel.lean, .full] {
            let lines = ExpositionFormat.text.page(try await page(detail)).split(separator: "\n").filter {
                !$0.hasPrefix("#")
            }
            counts[detail] = lines.count
        }
        let (lean, full) = (counts[.lean, default: 0], counts[.full, default: 0])
        #expect(lean > 100)
        #expect(lean * 5 < full * 2, "\(lean) of \(full)")
    }
}
#endif
