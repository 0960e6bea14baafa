// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTesting

@testable import StockServer

/// The application of StockServer on a manual time.
struct StockApplication: Sendable {
    let time = ManualTime()
    let telemetry: Telemetry
    let orchestrator: Orchestrator
    let stock: Endpoint<StockHandler>
    /// Counts from now on.
    let recorded: TelemetryAssertions

    var clock: TimeSource { .manual(time) }

    /// - Parameter isStarted: Whether the application runs.
    @MainActor
    init(
        tea: Int = 3,
        limits: RequestLimits = RequestLimits(),
        breakers: [BreakerRule] = [],
        isStarted: Bool = true
    ) async throws {
        telemetry = try Telemetry(breakers: breakers, clock: .manual(time))
        orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time))
        orchestrator.register(StockClient.self) { StockClient($0, delivery: ["tea": tea]) }
        stock = orchestrator.register(StockHandler.self, limits: limits) { try StockHandler($0) }
        if isStarted { try await orchestrator.start() }
        recorded = TelemetryAssertions(telemetry, of: orchestrator)
    }

    /// How much tea is left.
    var tea: Int { get async throws { try await stock.request(.count("tea")) } }

    /// Runs `body` while sessions take all places of the endpoint.
    func occupied<R: Sendable>(places: Int, _ body: @Sendable () async throws -> R) async throws -> R {
        let gate = AsyncStream.makeStream(of: Void.self)
        let arrivals = AsyncStream.makeStream(of: Void.self)
        return try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<places {
                group.addTask {
                    try await stock.session { _ in
                        arrivals.continuation.yield()
                        for await _ in gate.stream {}
                    }
                }
            }
            for await _ in arrivals.stream.prefix(places) {}
            let result = try await body()
            gate.continuation.finish()
            try await group.waitForAll()
            return result
        }
    }
}
