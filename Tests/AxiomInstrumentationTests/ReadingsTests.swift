// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

@testable import AxiomInstrumentation

@Suite("Typed readings")
@MainActor
struct ReadingsTests {
    /// An application in which actions ended in every way, under known names and under none.
    private func usedApp(_ time: ManualTime) async throws -> SampleApp {
        var sensitive = CircuitBreakerConfiguration()
        (sensitive.window, sensitive.minimumCalls) = (.count(4), 4)
        let app = try SampleApp(clock: .manual(time), breakers: [.client(MailClient.self, sensitive)])
        try await app.orchestrator.start()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        await context.send(.sell { time.advance(by: .milliseconds(3)) })
        await context.send(.sell { time.advance(by: .seconds(4)) })
        await context.send(.sell { throw Refused() })
        await context.send(.sell { throw Cancellation.onPurpose })
        for _ in 0..<6 { await context.send(.mail { throw Refused() }) }
        // The breaker is open: this one is refused, and its name is not known.
        try? await context.mail.process(.misnumbered(index: -1))
        return app
    }

    @Test("The outcomes and durations of all actions are those of the metrics")
    func actions() async throws {
        let app = try await usedApp(ManualTime())
        let (readings, metrics) = (app.telemetry.readings.actions, app.metrics)
        for (index, action) in readings.actions.enumerated() {
            let kind = action.component.kind.rawValue
            let isCall = action.component.kind == .capability
            let labels = [kind: action.component.name, isCall ? "call" : "action": action.name]
            let all = readings.outcomes[index * 4..<index * 4 + 4]
            for (outcome, count) in zip(ActionOutcome.allCases, all) {
                let all = labels.merging(["outcome": outcome.rawValue]) { first, _ in first }
                #expect(
                    Double(count) == metrics.value("axiom_\(kind)_\(isCall ? "calls" : "actions")_total", all) ?? 0,
                    "\(all)"
                )
            }
            let durations = metrics.series("axiom_\(kind)_\(isCall ? "call" : "action")_duration_seconds", labels)
            #expect(readings.durations[index] == durations?.exponential ?? .empty, "\(labels)")
        }
        let families = ["axiom_client_actions_total", "axiom_context_actions_total", "axiom_capability_calls_total"]
        #expect(Double(readings.outcomes.reduce(0, +)) == families.map { metrics.total($0) }.reduce(0, +))
        #expect(readings.actions.contains { $0.component.name == "MailClient" && $0.name == "other" })
        #expect(Set(readings.actions).count == readings.actions.count)
    }

    @Test("An action keeps its index when others are added")
    func indices() async throws {
        let app = try await SampleApp.started()
        let before = app.telemetry.readings.actions.actions
        let context = try #require(try await app.mountedHost().context)
        try await context.mail.process(.misnumbered(index: 7))
        let after = app.telemetry.readings.actions.actions
        #expect(after.starts(with: before))
        #expect(after.count > before.count)
    }

    @Test("Totals, lifetimes, edges and drop counts equal the metrics")
    func totals() async throws {
        let app = try await usedApp(ManualTime())
        let host = try await app.mountedHost()
        await host.unmount()
        let (readings, metrics) = (app.telemetry.readings, app.metrics)
        #expect(Double(readings.errorTotal) == metrics.total("axiom_errors_total"))
        #expect(readings.errorTotal == readings.errors.count)
        #expect(Double(readings.stateUpdates) == metrics.total("axiom_state_updates_total"))
        #expect(Double(readings.violationTotal) == metrics.total("axiom_budget_violations_total"))
        for (reason, count) in readings.dropped {
            #expect(Double(count) == metrics.value("axiom_telemetry_dropped_total", ["reason": reason]))
        }
        #expect(readings.dropped.map(\.reason) == readings.dropped.map(\.reason).sorted())
        for row in readings.components {
            let labels = ["kind": row.component.kind.rawValue, "component": row.component.name]
            let lifetimes = metrics.series("axiom_component_lifetime_seconds", labels)?.exponential
            #expect(readings.lifetimes[row.component] == lifetimes ?? .empty, "\(labels)")
        }
        #expect(readings.lifetimes.values.contains { $0.count > 0 })
        #expect(metrics.family("axiom_component_dependency")?.count == readings.edges.count)
    }

    @Test("A breaker's reading has its component, its rules and the text of its last error")
    func breakers() async throws {
        let app = try await usedApp(ManualTime())
        let breakers = app.telemetry.readings.breakers
        #expect(breakers.map(\.summary.name) == app.telemetry.breakers.map(\.name))
        let mail = try #require(breakers.first { $0.summary.name == "MailClient" })
        #expect(mail.owner == ComponentDescriptor(kind: .client, name: "MailClient"))
        #expect(mail.configuration.minimumCalls == 4)
        #expect(mail.summary.state == .open)
        #expect(mail.lastError?.contains("Refused") == true)
    }
}
#endif
