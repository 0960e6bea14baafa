// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomSampleApp
import Testing

@testable import AxiomInstrumentation

@Suite("Rules for performance budgets")
struct BudgetRuleTests {
    private func limit(_ rules: [BudgetRule], _ component: String, _ action: String?) throws -> Int64 {
        let table = try BudgetTable(rules)
        return table.limit(try #require(table.budget("client_action")), component, action: action)
    }

    @Test("The limit of an action counts before that of its component, and that before the budget's")
    func precedence() throws {
        let rules: [BudgetRule] = [
            .override("client_action", for: "PaymentClient", action: "refund", limit: .milliseconds(200)),
            .override("client_action", limit: .milliseconds(20)),
            .override("client_action", for: "PaymentClient", limit: .milliseconds(50)),
        ]
        for rules in [rules, rules.reversed()] {
            #expect(try limit(rules, "PaymentClient", "refund") == 200_000_000)
            #expect(try limit(rules, "PaymentClient", "pay") == 50_000_000)
            #expect(try limit(rules, "CartClient", "refund") == 20_000_000)
        }
        #expect(try limit([], "CartClient", "add") == 8_000_000)
    }

    @Test("A budget that is added can be overridden in the same list, in any order")
    func additions() throws {
        let sync = PerformanceBudget("catalogue_sync", "Fetches the catalogue", limit: .seconds(2), statistic: .p95)
        let table = try BudgetTable([.override("catalogue_sync", limit: .seconds(1)), .add(sync)])
        #expect(table.budget("catalogue_sync")?.limit == .duration(.seconds(1)))
        #expect(table.budget("catalogue_sync")?.objective == 0.95)
        #expect(table.budgets.count == PerformanceBudget.specification.count + 1)
    }

    @Test(
        "A rule that cannot hold is refused with its name and what to do",
        arguments: [
            ([.confirm("client_actoin")], .unknownBudget, "client_actoin", "client_action"),
            ([.remove("client_actoin", for: "X")], .unknownBudget, "client_actoin", "client_action"),
            ([.remove("rendering"), .confirm("rendering")], .invalidBudget, "remove rendering", "one of the two"),
            (
                [.remove("rendering", for: "X"), .override("rendering", for: "X", limit: .seconds(1))],
                .invalidBudget, "remove rendering for X", "one of the two"
            ),
            ([.remove(), .confirm()], .invalidBudget, "remove all budgets", "one of the two"),
            ([.override("client_actoin", limit: .seconds(1))], .unknownBudget, "client_actoin", "client_action"),
            ([.override("client_action", limit: .zero)], .invalidBudget, "client_action is 0", "more than 0"),
            ([.override("client_action", bytes: 5)], .invalidBudget, "client_action", "a duration"),
            ([.override("client_memory", limit: .seconds(1))], .invalidBudget, "client_memory", "bytes"),
            ([.override("thread_pool", limit: .seconds(1))], .invalidBudget, "thread_pool", "as it is"),
            ([.override("client_action", action: "a", limit: .seconds(1))], .invalidBudget, "one action", "component"),
            (
                [.override("rendering", for: "X", action: "a", limit: .seconds(1))], .invalidBudget,
                "rendering for X.a",
                "context_action"
            ),
            (
                [
                    .override("rendering", for: "X", limit: .seconds(1)),
                    .override("rendering", for: "X", limit: .seconds(2)),
                ],
                .invalidBudget, "rendering for X", "one"
            ),
            ([.add(PerformanceBudget("Sync", "x", limit: .seconds(1)))], .invalidBudget, "\"Sync\"", "lower-case"),
            (
                [.add(PerformanceBudget("navigation", "x", limit: .seconds(1)))], .invalidBudget, "navigation",
                "override"
            ),
            ([.add(PerformanceBudget("sync", "x", limit: .seconds(-1)))], .invalidBudget, "sync", "more than 0"),
            (
                [.add(PerformanceBudget("sync", "x", limit: .seconds(1), objective: 1))], .invalidBudget,
                "objective of the budget sync is 1", "between 0 and 1"
            ),
        ] as [([BudgetRule], ErrorCode, String, String)]
    )
    func mistakes(_ rules: [BudgetRule], _ code: ErrorCode, _ message: String, _ remedy: String) {
        let error = #expect(throws: TelemetryError.self) { try Telemetry(budgets: rules) }
        #expect(error?.code == code)
        #expect(error?.message.contains(message) == true, "\(error?.message ?? "")")
        #expect(error?.recoverySuggestion.contains(remedy) == true, "\(error?.recoverySuggestion ?? "")")
    }

    @Test("Adding, overriding and confirming confirm a budget; the most specific rule counts, in any order")
    func standings() throws {
        let sync = PerformanceBudget("sync", "Syncs", limit: .seconds(2))
        let rules: [BudgetRule] = [
            .add(sync), .override("rendering", limit: .milliseconds(20)),
            .override("lifecycle", for: "A", limit: .seconds(1)),
            .override("client_action", for: "C", action: "pay", limit: .seconds(1)), .confirm("cold_start"),
            .confirm(for: "B"), .remove("task_startup"), .confirm("task_startup", for: "A"),
            .remove("rendering", for: "A"),
        ]
        for rules in [rules, rules.reversed()] {
            let table = try BudgetTable(rules)
            let expected: [(PerformanceBudget.ID, String, BudgetStanding)] = [
                ("sync", "application", .confirmed), ("rendering", "X", .confirmed), ("rendering", "A", .removed),
                ("lifecycle", "A", .confirmed), ("lifecycle", "X", .byDefault), ("lifecycle", "B", .confirmed),
                ("client_action", "C", .confirmed), ("client_action", "X", .byDefault), ("cold_start", "X", .confirmed),
                ("task_startup", "X", .removed), ("task_startup", "A", .confirmed), ("task_startup", "B", .removed),
            ]
            for (id, component, standing) in expected {
                #expect(table.standing(id, component) == standing, "\(id) for \(component)")
            }
        }
        #expect(try BudgetTable([.confirm()]).standing("rendering", "X") == .confirmed)
        #expect(try BudgetTable([]).standing("rendering", "X") == .byDefault)
    }

    @Test("A budget that is removed for all components is absent; one that is kept for a component is listed")
    func removals() throws {
        #expect(try BudgetTable([.remove()]).budgets.isEmpty)
        let one = try BudgetTable([.remove(), .confirm("client_action", for: "A")])
        #expect(one.budgets.map(\.id) == ["client_action"])
        let all = PerformanceBudget.specification.count
        #expect(try BudgetTable([.remove("rendering", for: "A")]).budgets.count == all)
        let table = try BudgetTable([.remove("rendering")])
        #expect(table.budgets.count == all - 1 && table.budget("rendering") == nil)
        #expect(table.budget(.cancellation)?.id == .cancellation)
    }

    #if Instrumented
    @Test("A limit for a component or an action that is not registered is in the report")
    @MainActor
    func unused() async throws {
        let app = try await SampleApp.started(budgets: [
            .override("client_action", for: "TillCleint", limit: .seconds(1)),
            .override("client_action", for: "TillClient", limit: .seconds(1)),
            .override("client_action", for: "TillClient", action: "sel", limit: .seconds(1)),
            .override("client_action", for: "TillClient", action: "sell", limit: .seconds(1)),
            .confirm(for: "CounterContext"),
            .remove("rendering", for: "CuonterContext"),
        ])
        #expect(
            app.telemetry.budgets.report.unusedOverrides == [
                "client_action for TillCleint", "client_action for TillClient.sel", "rendering for CuonterContext",
            ]
        )
    }
    #endif
}
