// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import Testing

@Suite("Telemetries and registries")
@MainActor
struct TelemetryTests {
    @Test("A second telemetry on one registry is refused with the remedy, and the first is not disturbed")
    func oneRegistry() async throws {
        let app = try await SampleApp.started()
        let error = #expect(throws: TelemetryError.self) { try Telemetry(registry: app.registry) }
        #expect(error?.code == .registryTaken)
        #expect(error?.description.contains("Give each telemetry a registry of its own") == true)
        try await app.runOnce()
        #expect(app.metrics.problems.isEmpty)
        #expect(app.metrics.families.filter { $0.definition.name == "axiom_build_info" }.first?.count == 1)
    }

    @Test("A registry that holds an application's metric under a name of Axiom is rejected")
    func clash() throws {
        let registry = Registry()
        _ = try registry.gauge("axiom_errors_total_count", help: "Allowed: it is another name.")
        _ = try registry.counter("axiom_errors_total", help: "The application's own.")
        let error = #expect(throws: MetricsError.self) { try Telemetry(registry: registry) }
        #expect(error?.family == "axiom_errors_total")
        #expect(registry.collect().problems.isEmpty)
        #expect(registry.collect().family("process_threads") == nil, "no collector of a failed telemetry stays")
    }

    @Test("A negative leak threshold is refused with its value")
    func threshold() throws {
        let error = #expect(throws: TelemetryError.self) { try Telemetry(leakThreshold: .seconds(-1)) }
        #expect(error?.code == .invalidLeakThreshold)
        #expect(error?.message.contains("-1.0 seconds") == true)
        #expect(error?.suggestedAction == .contactSupport)
    }

    #if Instrumented
    @Test("A recorded scenario counts its actions, and the parts of them that have no source")
    @MainActor
    func scenario() async throws {
        let app = try await SampleApp.started()
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        #expect(!app.telemetry.isRecordingScenario)
        app.telemetry.recordScenario()
        #expect(app.telemetry.isRecordingScenario)
        await context.send(.sell {})
        #expect(app.telemetry.recordedScenario.count == 1)
        await context.send(.mail {})
        let scenario = app.telemetry.endScenario()
        #expect(!app.telemetry.isRecordingScenario)
        #expect(scenario.count == 2)
        #expect(scenario.gapCount == 2)
        await host.unmount()
    }
    #endif

    @Test("An application's own metrics are exported with Axiom's")
    func ownMetrics() throws {
        let telemetry = try Telemetry()
        try telemetry.registry.counter("shop_visits_total", help: "Visits.").increment()
        #expect(telemetry.registry.collect().value("shop_visits_total") == 1)
    }

    #if Instrumented
    @Test("Two orchestrators with a telemetry each count apart")
    func twoOrchestrators() async throws {
        let first = try await SampleApp.started()
        let second = try await SampleApp.started()
        try await first.runOnce()
        try await first.runOnce()
        try await second.runOnce()
        #expect(first.metrics.component("created_total", "context", "CounterContext") == 2)
        #expect(second.metrics.component("created_total", "context", "CounterContext") == 1)
        #expect(first.metrics.outcomes(client: "TillClient", "sell")["success"] == 2)
        #expect(second.metrics.outcomes(client: "TillClient", "sell")["success"] == 1)
        let host = try await second.mountedHost()
        await first.orchestrator.shutdown()
        #expect(second.metrics.total("axiom_component_leak_suspects") == 0, "the other's shutdown is not its own")
        await host.unmount()
    }
    #endif
}
