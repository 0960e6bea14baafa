// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Hummingbird
import Logging
import ServiceLifecycle
import Testing
import UnixSignals

@testable import StockServer

@Suite("The end of a server", .timeLimit(.minutes(10)))
struct ShutdownTests {
    /// Notes when a service begins and ends.
    private struct Noted: Service {
        let name: String
        let journal: Journal<String>
        let service: any Service

        func run() async throws {
            journal.write("\(name) runs")
            try await service.run()
            journal.write("\(name) ended")
        }
    }

    /// Holds what was recorded until the end.
    private struct TelemetryService: Service {
        let telemetry: Telemetry
        let journal: Journal<String>

        func run() async throws {
            try await gracefulShutdown()
            let page = telemetry.registry.collect().text
            let line = page.split(separator: "\n").first { $0.contains(/^axiom_requests_total.*success/) }
            journal.write(line.map(String.init) ?? "no request was counted")
        }
    }

    @Test("After SIGTERM the server accepts nothing, requests finish, then the application ends, then the telemetry")
    func order() async throws {
        let (gate, journal) = (Gate(), Journal<String>())
        let telemetry = try Telemetry()
        let orchestrator = await Orchestrator(instrumentation: telemetry)
        let slow = await orchestrator.register(SlowHandler.self) { SlowHandler($0, gate) }
        let router = Router()
        router.get("/health") { _, _ in "ok" }
        router.get("/slow") { _, _ in try await slow.request(.wait) }
        let parts = LiveServer.parts(router)
        let services: [any Service] = [
            Noted(
                name: "telemetry",
                journal: journal,
                service: TelemetryService(telemetry: telemetry, journal: journal)
            ),
            Noted(name: "application", journal: journal, service: ApplicationService(orchestrator: orchestrator)),
            Noted(name: "server", journal: journal, service: parts.application),
        ]
        let group = ServiceGroup(
            services: services,
            gracefulShutdownSignals: [.sigterm],
            logger: Logger(label: "test")
        )
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let server = try #require(await parts.server())
            await eventually { orchestrator.isRunning }
            async let answer = server.send("/slow")
            await gate.waitForArrivals(1)
            kill(getpid(), SIGTERM)
            // A new connection is refused.
            await eventually { (try? await server.send("/health")) == nil }
            #expect(orchestrator.isRunning && slow.inFlight == 1)
            gate.open()
            #expect(try await answer.text == "done")
            try await tasks.waitForAll()
        }
        let counted = #"axiom_requests_total{handler="SlowHandler",route="wait",outcome="success"} 1"#
        #expect(journal.entries.suffix(4) == ["server ended", "application ended", counted, "telemetry ended"])
    }
}

private enum SlowRequest: Action {
    typealias Answer = String
    case wait
}

/// Answers when a gate is open.
private final class SlowHandler: RequestHandler {
    let identity: ComponentIdentity
    private let gate: Gate

    init(_ scope: borrowing HandlerScope, _ gate: Gate) { (identity, self.gate) = (scope.identity, gate) }

    func handle(_ request: SlowRequest, in work: borrowing WorkScope) async throws -> String {
        await gate.wait()
        return "done"
    }
}
