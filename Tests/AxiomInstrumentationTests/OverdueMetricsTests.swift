// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import Observation
import Testing

private enum HangAction: Action {
    case hang
}

/// A client whose actions and whose end take an hour, unless they are cancelled.
private actor HangClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    func process(_ action: HangAction) async throws { try await Task.sleep(for: .seconds(3_600)) }
    func deactivate() async { try? await Task.sleep(for: .seconds(3_600)) }
}

@Observable
private final class HangContext: Context {
    @ObservationIgnored let identity: ComponentIdentity
    @ObservationIgnored let client: any StatelessClient<HangAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(HangClient.self)
    }
}

@MainActor
@Suite("Overdue actions and shutdowns on the page", .timeLimit(.minutes(10)))
struct OverdueMetricsTests {
    private let time = ManualTime()

    @Test("An overdue action and an overdue shutdown are counted under the names of their components (CLI-11, ORC-13)")
    func counted() async throws {
        let telemetry = try Telemetry(clock: .manual(time))
        var limits = WaitLimits()
        limits.overdue = .milliseconds(500)
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time), limits: limits)
        orchestrator.register(HangClient.self) { HangClient($0) }
        orchestrator.register(HangContext.self) { try HangContext($0) }
        try await orchestrator.start()
        let context = try orchestrator.makeContext(HangContext.self)
        let call = Task { try await context.client.process(.hang) }
        let page = telemetry.registry
        // The time stands while the action begins.
        while telemetry.readings.actionsInFlight["HangClient"] != ["hang": 1] { await Task.yield() }
        for _ in 0..<4 {
            #expect(page.collect().value("axiom_client_actions_overdue", ["client": "HangClient"]) == 0)
            await time.waitForSleepers(1)
            time.advance(by: .milliseconds(100))
        }
        // The look that finds it comes before the next sleep.
        while page.collect().value("axiom_client_actions_overdue", ["client": "HangClient"]) != 1 {
            await time.waitForSleepers(1)
            time.advance(by: .milliseconds(100))
        }
        let labels = ["client": "HangClient", "action": "hang"]
        #expect(page.collect().value("axiom_client_overdue_total", labels) == 1)
        #expect(page.collect().value("axiom_deadlocks_total", ["component": "Orchestrator"]) == 0)
        call.cancel()
        _ = await call.result
        let shutdown = Task { await orchestrator.shutdown() }
        while orchestrator.isRunning { await Task.yield() }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(5))
        await shutdown.value
        #expect(page.collect().value("axiom_shutdown_overdue_total", ["component": "HangClient"]) == 1)
        #expect(page.collect().value("axiom_client_actions_overdue", ["client": "HangClient"]) == 0)
    }
}
#endif
