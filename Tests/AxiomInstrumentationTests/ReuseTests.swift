// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import Testing

@testable import AxiomInstrumentation

@Suite("A telemetry that observes one application after the other", .timeLimit(.minutes(10)))
@MainActor
struct ReuseTests {
    private let time = ManualTime()

    private func telemetry(_ regressions: RegressionOptions? = nil) throws -> Telemetry {
        try Telemetry(regressions: regressions, onBudgetViolation: { _ in }, detail: .full, clock: .manual(time))
    }

    private func started(_ telemetry: Telemetry) async throws -> SampleApp {
        let app = SampleApp(observedBy: telemetry, clock: .manual(time))
        try await app.orchestrator.start()
        return app
    }

    /// One whole life of an application.
    private func run(_ telemetry: Telemetry) async throws {
        let app = try await started(telemetry)
        try await app.runOnce()
        await app.orchestrator.shutdown()
    }

    @Test(
        "Of every component, those created are those destroyed and those that live, and no live one is a leak suspect"
    )
    func census() async throws {
        let telemetry = try telemetry()
        try await run(telemetry)
        let app = try await started(telemetry)
        let host = try await app.mountedHost()
        time.advance(by: .seconds(3_600))
        let page = telemetry.registry.collect()
        for row in telemetry.readings.components {
            let (kind, name) = (row.component.kind.rawValue, row.component.name)
            let live = try #require(page.component("live", kind, name))
            #expect(Double(row.created) == Double(row.destroyed) + live, "\(name)")
            #expect(live == 1, "\(name)")
            #expect(row.created == 2 && row.leakSuspects == 0, "\(name)")
        }
        #expect(telemetry.readings.leakSuspects(10).isEmpty)
        let leaks = try #require(telemetry.budgets.report.rows.first { $0.budget.id == .leakPrevention })
        #expect(leaks.status == .met && leaks.counts.violations == 0)
        await host.unmount()
        await app.orchestrator.shutdown()
        #expect(telemetry.readings.components.allSatisfy { $0.leakSuspects == 0 })
    }

    @Test("Components that outlive the first application remain the only suspects during the second")
    func leftOver() async throws {
        let telemetry = try telemetry()
        let first = try await started(telemetry)
        var planted = try await first.mountedHost().context?.mail
        await first.orchestrator.shutdown()
        let second = try await started(telemetry)
        let host = try await second.mountedHost()
        #expect(telemetry.readings.leakSuspects(10).map(\.component.name) == ["MailClient"])
        withExtendedLifetime(planted) {}
        planted = nil
        #expect(telemetry.readings.leakSuspects(10).isEmpty)
        await host.unmount()
        await second.orchestrator.shutdown()
    }

    @Test("Counters grow on, each edge is there once, and the calls of both applications are counted together")
    func counters() async throws {
        let (once, twice) = (try telemetry(), try telemetry())
        try await run(once)
        for _ in 0..<2 { try await run(twice) }
        let names = [
            "axiom_client_actions_total", "axiom_context_actions_total", "axiom_errors_total",
            "axiom_component_created_total", "axiom_component_destroyed_total",
        ]
        for name in names {
            let (one, two) = (once.registry.collect().total(name), twice.registry.collect().total(name))
            // The orchestrators of this test live on: one in the one telemetry and two in the other.
            #expect(two == 2 * one && one > 0, "\(name): \(one), then \(two)")
        }
        #expect(twice.readings.edges == once.readings.edges)
        #expect(!once.readings.edges.isEmpty)
        for (edge, counts) in once.readings.traffic {
            #expect(
                twice.readings.traffic[edge] == CallCounts(calls: 2 * counts.calls, failures: 2 * counts.failures)
            )
        }
    }

    @Test("The slowest actions of the second application are in the budgets' percentiles and in one histogram")
    func tails() async throws {
        let telemetry = try telemetry()
        for _ in 0..<2 {
            let app = try await started(telemetry)
            let host = try await app.mountedHost()
            await host.context?.send(.mail { time.advance(by: .seconds(4)) })
            await host.unmount()
            await app.orchestrator.shutdown()
        }
        let actions = telemetry.readings.actions
        let sends = actions.actions.indices.filter {
            actions.actions[$0].component.name == "MailClient" && actions.actions[$0].name == "send"
        }
        #expect(sends.map { actions.durations[$0].count } == [2])
        #expect(telemetry.readings.slowestActions.filter { $0.component.name == "MailClient" }.count == 2)
        let row = try #require(telemetry.budgets.report.rows.first { $0.budget.id == .clientAction })
        #expect(row.counts == BudgetCounts(checks: 2, violations: 2))
        #expect(try #require(row.p99) > 3)
    }

    @Test("Windows close by themselves again, and changes of verdicts are reported again")
    func regressions() async throws {
        let telemetry = try telemetry(.judging(against: RegressionReplay.baseline()))
        try await run(telemetry)
        #expect(time.sleeperCount == 0)
        var ended = telemetry.regressions.changes().makeAsyncIterator()
        #expect(await ended.next() == nil)
        // Long after the first, and not at the end of a window.
        time.advance(by: .seconds(10_003))
        let app = try await started(telemetry)
        let host = try await app.mountedHost()
        let changes = telemetry.regressions.changes()
        for _ in 0..<6 {
            await host.context?.send(.mail {})
            await time.waitForSleepers(1)
            time.advance(by: .seconds(10))
        }
        var iterator = changes.makeAsyncIterator()
        let first = await iterator.next()
        #expect(first?.component != nil)
        await time.waitForSleepers(1)
        let report = telemetry.regressions.report
        #expect(report.windows == 6 && report.missedWindows == 0)
        await host.unmount()
        await app.orchestrator.shutdown()
        while await iterator.next() != nil {}
        #expect(time.sleeperCount == 0)
    }

    @Test("An orchestrator that the telemetry rejected does not end the reports of the first one")
    func refused() async throws {
        let telemetry = try telemetry(.recording())
        let app = try await started(telemetry)
        let host = try await app.mountedHost()
        let second = SampleApp(observedBy: telemetry, clock: .manual(time))
        await #expect(throws: TelemetryError.self) { try await second.orchestrator.start() }
        await second.orchestrator.shutdown()
        #expect(telemetry.readings.leakSuspects(10).isEmpty)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(10))
        await time.waitForSleepers(1)
        #expect(telemetry.regressions.report.windows == 1)
        await host.unmount()
        await app.orchestrator.shutdown()
        #expect(time.sleeperCount == 0)
    }

    @Test("One orchestrator that begins again after an end is created once, and what it makes is no suspect")
    func sameOrchestrator() throws {
        let telemetry = try telemetry()
        let descriptor = ComponentDescriptor(kind: .orchestrator, name: "Orchestrator")
        let client = ComponentDescriptor(kind: .client, name: "TillClient")
        let orchestrator = ComponentInstance(id: 1, component: descriptor, createdAt: time.now)
        for start in 0..<2 {
            try telemetry.begin(orchestrator)
            for component in [descriptor, client] { telemetry.registered(component, module: "") }
            telemetry.created(orchestrator)
            let made = ComponentInstance(id: UInt64(2 + start), component: client, createdAt: time.now)
            telemetry.created(made)
            #expect(telemetry.readings.leakSuspects(10).isEmpty)
            telemetry.shutDown(at: time.now)
            #expect(telemetry.readings.leakSuspects(10).map(\.id) == [made.id])
            telemetry.destroyed(made, lifetime: 0)
        }
        #expect(telemetry.readings.components.map(\.created) == [1, 2])
        #expect(telemetry.readings.components.map(\.destroyed) == [0, 2])
    }
}
#endif
