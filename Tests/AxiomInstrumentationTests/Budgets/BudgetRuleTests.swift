// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomSampleApp
import Testing

@testable import AxiomInstrumentation

@Suite("Rules for performance budgets")
struct BudgetRuleTests {
    private func limit(_ rules: [BudgetRule], _ component: String, _ action: String?) throws -> Int64 {
        let book = try BudgetBook(rules)
        return book.limit(try #require(book.budget("client_action")), component, action: action)
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
        let book = try BudgetBook([.override("catalogue_sync", limit: .seconds(1)), .add(sync)])
        #expect(book.budget("catalogue_sync")?.limit == .duration(.seconds(1)))
        #expect(book.budget("catalogue_sync")?.objective == 0.95)
        #expect(book.budgets.count == PerformanceBudget.specification.count + 1)
    }

    @Test(
        "A rule that cannot hold is refused with its name and what to do",
        arguments: [
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

    #if Instrumented
    @Test("A limit for a component or an action that nobody registered is told in the report")
    @MainActor
    func unused() async throws {
        let app = try await SampleApp.started(budgets: [
            .override("client_action", for: "TillCleint", limit: .seconds(1)),
            .override("client_action", for: "TillClient", limit: .seconds(1)),
            .override("client_action", for: "TillClient", action: "sel", limit: .seconds(1)),
            .override("client_action", for: "TillClient", action: "sell", limit: .seconds(1)),
        ])
        #expect(
            app.telemetry.budgets.report.unusedOverrides == [
                "client_action for TillCleint", "client_action for TillClient.sel",
            ]
        )
    }
    #endif
}
