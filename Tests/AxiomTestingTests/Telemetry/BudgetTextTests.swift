// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomSampleApp
import AxiomTesting
import Testing

@MainActor
@Suite("The texts of budgets that cannot be judged", .timeLimit(.minutes(10)))
struct BudgetTextTests {
    @Test("Without a flight recorder no span shows which actions exceeded their budget")
    func noSpans() async throws {
        let time = ManualTime()
        let telemetry = try Telemetry(detail: .full, flightRecorder: .off, clock: .manual(time))
        let app = SampleApp(observedBy: telemetry, clock: .manual(time))
        try await app.orchestrator.start()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        let assertions = TelemetryAssertions(telemetry, of: app.orchestrator)
        await context.send(.sell { time.advance(by: .milliseconds(30)) })
        let texts = await failures {
            assertions.expect(.action("sell", of: TillClient.self, within: .clientAction))
        }
        #expect(
            texts == [
                """
                Expected .action("sell", of: TillClient.self, .success, count: 1, within: "client_action"), found 1 \
                actions of TillClient beyond the limit, and no spans that show of which case.
                Make the telemetry with a flight recorder.
                """
            ]
        )
        await host.unmount()
    }

    @Test("A budget that cannot be measured is named with its status")
    func status() async throws {
        let counter = try await Counter()
        let assertions = TelemetryAssertions(counter.telemetry, of: counter.orchestrator)
        let texts = await failures { assertions.expectWithinBudgets("deadlock_prevention") }
        let status = "n/a: a property of the program, which no measurement can show"
        #expect(texts == ["Expected the budget deadlock_prevention to be met, but its status is: \(status)."])
    }
}
#endif
