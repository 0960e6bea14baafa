// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

@Suite("Confirmed, default and removed budgets", .timeLimit(.minutes(10)))
@MainActor
struct ConfirmedBudgetTests {
    private let time = ManualTime()
    private let log = ViolationLog()

    private func app(_ rules: [BudgetRule], leakThreshold: Duration = .seconds(30)) async throws -> SampleApp {
        try await SampleApp.started(
            clock: .manual(time),
            leakThreshold: leakThreshold,
            budgets: rules,
            onBudgetViolation: log.write
        )
    }

    /// Sells and mails, each in a second.
    private func work(_ app: SampleApp) async throws {
        let context = try #require(try await app.mountedHost().context)
        let time = time
        await context.send(.sell { time.advance(by: .seconds(1)) })
        await context.send(.mail { time.advance(by: .seconds(1)) })
        await app.telemetry.drainBudgetViolations()
    }

    private func confirmed(_ app: SampleApp) -> Set<[String]> {
        Set(
            (app.metrics.family("axiom_budget_confirmed") ?? nil)?.map {
                [$0.labels["budget"], $0.labels["component"]]
            } ?? []
        )
    }

    private func violations(_ app: SampleApp, _ budget: String, _ component: String) -> Double? {
        app.metrics.value("axiom_budget_violations_total", ["budget": budget, "component": component])
    }

    @Test("A default budget is measured and reported as a default; nothing is logged, and no series says confirmed")
    func byDefault() async throws {
        let app = try await app([])
        try await work(app)
        #expect(violations(app, "client_action", "TillClient") == 1)
        #expect(log.violations == [])
        #expect(confirmed(app) == [])
        let report = app.telemetry.budgets.report
        let row = try #require(report.row("client_action"))
        #expect(!row.isConfirmed && row.status == .missed)
        #expect(row.components.allSatisfy { !$0.isConfirmed })
        #expect(report.table.contains("≤ 8 ms (default)"))
    }

    @Test("Only violations of added, overridden or confirmed budgets are logged and marked")
    func byRule() async throws {
        let app = try await app([
            .confirm("context_action", for: "CounterContext"),
            .override("client_action", for: "TillClient", limit: .milliseconds(50)),
        ])
        try await work(app)
        #expect(violations(app, "client_action", "MailClient") == 1)
        let logged = Set(log.violations.map { [$0.budget.id.rawValue, $0.component] })
        #expect(logged == [["context_action", "CounterContext"], ["client_action", "TillClient"]])
        #expect(confirmed(app) == logged)
        #expect(log.of("client_action", "TillClient").map(\.limit) == [.duration(.milliseconds(50))])
        let row = try #require(app.telemetry.budgets.report.row("client_action"))
        #expect(row.isConfirmed)
        #expect(row.components.map(\.isConfirmed) == [false, true], "MailClient, TillClient")
    }

    @Test("A component's own limit has a series of its own beside the budget's, which keeps its labels")
    func limits() async throws {
        let app = try await app([
            .override("client_action", for: "TillClient", limit: .milliseconds(50)),
            .override("client_action", for: "MailClient", action: "send", limit: .seconds(1)),
            .override("state_memory", for: "TillClient", bytes: 4_096),
        ])
        let seconds = try #require(app.metrics.family("axiom_budget_limit_seconds"))
        let actions = seconds.filter { $0.labels["budget"] == "client_action" }
        #expect(actions.map { [$0.labels["component"]: $0.value] } == [["": 0.008], ["TillClient": 0.05]])
        let bytes = try #require(app.metrics.family("axiom_budget_limit_bytes"))
        #expect(bytes.filter { $0.labels["budget"] == "state_memory" }.map(\.value) == [1_048_576, 4_096])
        let page = ExpositionFormat.text.page(app.metrics)
        #expect(page.contains("axiom_budget_limit_seconds{budget=\"client_action\"} 0.008\n"))
        #expect(
            page.contains("axiom_budget_limit_seconds{budget=\"client_action\",component=\"TillClient\"} 0.05\n")
        )
        let row = try #require(app.telemetry.budgets.report.row("client_action"))
        #expect(row.components.map(\.limit) == [.duration(.milliseconds(8)), .duration(.milliseconds(50))])
    }

    @Test(
        "A removed budget has no series, no row and no violation; where it is removed for one component, others keep it"
    )
    func removed() async throws {
        let app = try await app([
            .confirm(), .remove("client_action"), .remove("context_action", for: "CounterContext"),
        ])
        try await work(app)
        #expect(violations(app, "client_action", "TillClient") == nil)
        #expect(violations(app, "context_action", "CounterContext") == nil)
        #expect(violations(app, "context_action", "ReceiptContext") == 0)
        #expect(app.metrics.value("axiom_budget_limit_seconds", ["budget": "client_action"]) == nil)
        #expect(app.metrics.value("axiom_budget_objective_ratio", ["budget": "client_action"]) == nil)
        #expect(app.telemetry.budgets.report.row("client_action") == nil)
        #expect(log.violations.allSatisfy { $0.budget.id != "client_action" })
        #expect(log.of("context_action", "CounterContext") == [])
        #expect(
            app.metrics.value("axiom_client_action_duration_seconds", ["client": "TillClient", "action": "sell"]) == 1
        )
    }

    @Test("Without any budget nothing of budgets is on the page, and the application works")
    func nothing() async throws {
        let app = try await app([.remove()])
        try await work(app)
        let names = app.metrics.families.map(\.definition.name).filter { $0.hasPrefix("axiom_budget") }
        #expect(names.allSatisfy { app.metrics.family($0).map { Array($0).isEmpty } ?? true }, "\(names)")
        #expect(app.telemetry.budgets.report.rows.isEmpty)
    }

    @Test("A leak is counted once for each instance, logged with how many there are, and judged by those that are left")
    func leaks() async throws {
        let app = try await app([.confirm("leak_prevention")])
        var planted: [CounterContext?] = []
        for _ in 0..<3 {
            let host = try await app.mountedHost()
            planted.append(host.context)
            await host.unmount()
        }
        #expect(violations(app, "leak_prevention", "CounterContext") == 0)
        // Nothing scrapes: the time alone finds them.
        await time.waitForSleepers(1)
        time.advance(by: .seconds(30))
        var logged: [BudgetViolation] = []
        while logged.isEmpty {
            await app.telemetry.drainBudgetViolations()
            logged = log.of("leak_prevention", "CounterContext")
            await Task.yield()
        }
        #expect(logged.map(\.example.value) == [3])
        #expect(try #require(logged.first).description.contains("3 instances of CounterContext should have ended"))
        for _ in 0..<3 { #expect(violations(app, "leak_prevention", "CounterContext") == 3) }
        let labels = ["budget": "leak_prevention", "component": "CounterContext"]
        #expect(app.metrics.value("axiom_budget_checks_total", labels) == 3)
        var row = try #require(app.telemetry.budgets.report.row("leak_prevention"))
        #expect(row.status == .missed)
        withExtendedLifetime(planted) {}
        planted = []
        row = try #require(app.telemetry.budgets.report.row("leak_prevention"))
        #expect(row.status == .met && row.counts.violations == 6, "3 of each context, which are released now")
    }

    @Test("A leak that ends before anything looks is counted; what ends in time is not; a default budget logs no leak")
    func lateEnds() async throws {
        let app = try await app([])
        for wait in [Duration.seconds(31), .seconds(29)] {
            let host = try await app.mountedHost()
            let planted = host.context
            await host.unmount()
            time.advance(by: wait)
            withExtendedLifetime(planted) {}
        }
        #expect(violations(app, "leak_prevention", "CounterContext") == 1)
        await app.telemetry.drainBudgetViolations()
        #expect(log.violations == [])
    }

    @Test("A component that outlives the shutdown is a leak after the threshold, not at once")
    func afterShutdown() async throws {
        let app = try await app([.confirm()])
        let planted = try await app.mountedHost().context?.mail
        await app.orchestrator.shutdown()
        #expect(violations(app, "leak_prevention", "MailClient") == nil)
        time.advance(by: .seconds(30))
        #expect(violations(app, "leak_prevention", "MailClient") == 1)
        #expect(violations(app, "leak_prevention", "CounterContext") == 0)
        withExtendedLifetime(planted) {}
    }
}
#endif
