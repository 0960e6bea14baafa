// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomExporter
import AxiomHTTP
import AxiomInstrumentation
import AxiomTestSupport
import Testing

private enum DeskAction: Action {
    case write(String)
    case forward(String)
    case fail
}

private struct DeskError: Error {}

private final class DeskContext: Context {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing ContextScope) { identity = scope.identity }

    func handle(_ action: DeskAction) async throws {
        switch action {
        case .write: break
        case .forward(let text): await send(.write(text))
        case .fail: throw DeskError()
        }
    }
}

@Suite("Recorded actions over HTTP", .timeLimit(.minutes(10)))
@MainActor
struct ScenarioRouteTests {
    /// - Parameter application: What a recording that begins before the exporter names; nil for no such recording.
    private func answer(recording: Bool, application: String? = nil) async throws -> (status: Int, text: String) {
        let telemetry = try Telemetry(onBudgetViolation: { _ in })
        let orchestrator = Orchestrator(instrumentation: telemetry, limits: .endless)
        orchestrator.register(DeskContext.self) { DeskContext($0) }
        try await orchestrator.start()
        let desk = try orchestrator.makeContext(DeskContext.self)
        if let application {
            telemetry.recordScenario(application: application)
            await desk.send(.write("an early letter"))
        }
        let exporter = try Exporter(
            telemetry: telemetry,
            configuration: HTTPServerConfiguration(port: 0),
            dashboard: DashboardOptions(name: "Desk", recordsPayloads: recording)
        )
        try exporter.start()
        await desk.send(.write("a letter"))
        await desk.send(.forward("a copy"))
        await desk.send(.fail)
        let port = try #require(exporter.port)
        let response = try await HTTPExchange.perform("GET", "/api/scenario", port: port)
        await exporter.stop()
        await orchestrator.shutdown()
        return (response.status, response.text)
    }

    @Test("The actions that the application was sent are a test; those that an action sent are left out")
    func recorded() async throws {
        let (status, text) = try await answer(recording: true)
        #expect(status == 200)
        let sends = text.split(separator: "\n").map { $0.drop(while: \.isWhitespace) }.filter {
            $0.hasPrefix("await desk.send")
        }
        #expect(
            sends == [
                "await desk.send(.write(\"a letter\"))", "await desk.send(.forward(\"a copy\"))",
                "await desk.send(.fail)",
            ]
        )
        #expect(text.matches(of: /await desk\.expectNoError\(\)\n/).count == 2)
        #expect(text.contains("await desk.expectError((any Error).self)  // DeskError\n"))
        #expect(text.contains("@Test(\"Desk, recorded from the dashboard\")"))
    }

    @Test("A recording that runs already goes on, and its test makes the application that the recording names")
    func continued() async throws {
        let (status, text) = try await answer(recording: true, application: "try Desk.underTest()")
        #expect(status == 200)
        #expect(text.contains("await desk.send(.write(\"an early letter\"))"))
        #expect(text.contains("let app = try Desk.underTest()\n"))
        #expect(!text.contains("<#"))
    }

    @Test("Without the option nothing is recorded, and the answer says so")
    func unrecorded() async throws {
        let (status, text) = try await answer(recording: false)
        #expect(status == 404)
        #expect(text == "Actions are not recorded. Set DashboardOptions(recordsPayloads: true).\n")
    }
}
#endif
