// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import Axiom

@MainActor
@Suite("The orchestrator of the application", .serialized, .timeLimit(.minutes(10)))
struct OrchestratorRoleTests {
    @Test("A second one that starts while one runs throws, and starts when that has ended (ORC-12)")
    func second() async throws {
        let (first, second) = (
            Orchestrator(limits: .endless, role: .application), Orchestrator(limits: .endless, role: .application)
        )
        try await first.start()
        let error = await #expect(throws: CompositionError.self) { try await second.start() }
        #expect(error?.code == .secondOrchestrator)
        #expect(first.isRunning && !second.isRunning)
        await first.shutdown()
        try await second.start()
        await second.shutdown()
        try await first.start()
        await first.shutdown()
    }

    @Test("Orchestrators without that role run beside it, as in tests (ORC-12)")
    func independent() async throws {
        let application = Orchestrator(limits: .endless, role: .application)
        let others = (0..<3).map { _ in Orchestrator(limits: .endless) }
        try await application.start()
        for other in others { try await other.start() }
        #expect(others.allSatisfy(\.isRunning) && application.isRunning)
        for other in others { await other.shutdown() }
        await application.shutdown()
    }

    @Test("One that was released or whose start failed does not keep the next from starting")
    func released() async throws {
        var gone: Orchestrator? = Orchestrator(limits: .endless, role: .application)
        try await gone?.start()
        gone = nil
        let failing = Orchestrator(limits: .endless, role: .application)
        for _ in 0..<2 { failing.register(TallyClient.self) { TallyClient($0) } }
        await #expect(throws: CompositionError.self) { try await failing.start() }
        let next = Orchestrator(limits: .endless, role: .application)
        try await next.start()
        await next.shutdown()
    }
}
