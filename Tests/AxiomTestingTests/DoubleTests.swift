// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Testing

@MainActor
@Suite("Doubles of clients and capabilities", .timeLimit(.minutes(1)))
struct DoubleTests {
    private func app() -> (TestOrchestrator, TestClient<TeaState, TeaAction>) {
        let app = TestOrchestrator()
        let clock = TimeSource.manual(app.time)
        app.orchestrator.register(TeaContext.self) { try TeaContext($0, clock) }
        return (app, app.client(TeaClient.self, TeaState()))
    }

    @Test("A scripted client publishes its states when the time comes (TL-T10)")
    func script() async throws {
        let (app, client) = app()
        let teas = try await app.context(TeaContext.self)
        client.sends([TeaState(teas: [.green]), TeaState(teas: [.black])], after: .seconds(1))
        await app.advance(by: .seconds(1))
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        await app.advance(by: .seconds(1))
        await teas.receive(TeaClient.self) { $0.teas = [.black] }
        #expect(client.history.map(\.teas) == [[], [.green], [.black]])
        await teas.finish()
    }

    @Test("A client records actions, changes its state, fails on demand and is reset (TL-T2, TL-T9)")
    func client() async throws {
        let (app, client) = app()
        let teas = try await app.context(TeaContext.self)
        client.on { action, state in if case .add(let tea) = action { state.teas.append(tea) } }
        await teas.send(.add(.green))
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        #expect(client.verifyAction { if case .add(.green) = $0 { true } else { false } })
        client.fails(with: SampleError(number: 1))
        await teas.send(.add(.black))
        await teas.expectError(SampleError(number: 1))
        client.simulateState(TeaState(teas: [.black]))
        await teas.receive(TeaClient.self, state: TeaState(teas: [.black]))
        client.reset(to: TeaState())
        await teas.receive(TeaClient.self) { $0.teas = [] }
        #expect(client.actions.isEmpty)
        #expect(client.history == [TeaState()])
        await teas.finish()
    }

    @Test("A simulated capability passes through all states (TL-T7)")
    func allStates() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        try await app.start()
        var visited: [SimulatedState] = []
        try await service.visitAllStates { visited.append($0) }
        #expect(visited == SimulatedState.allCases)
        await app.finish()
    }

    @Test("Each state has its effect on a call (TL-T7)")
    func effects() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        service.availability(false)
        await teas.send(.load)
        await teas.expectError(.capabilityUnavailable)
        try await service.enter(.permissionRevoked)
        await teas.send(.load)
        await teas.expectError(AuthorizationError.forbidden("x").code)
        try await service.enter(.failing)
        await teas.send(.load)
        await teas.expectError(.capabilityUnavailable)
        try await service.enter(.slow)
        await teas.send(.load) { $0.isLoading = true }
        await app.advance(by: .seconds(1))
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        await teas.expectChange { $0.isLoading = false }
        service.degrade(.limited, because: "it is slow")
        await app.settle()
        #expect(app.orchestrator.degradation.worst == .limited)
        await teas.finish()
    }

    @Test("A mock counts its requests and is reset (TL-T8)")
    func mock() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.load)
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        #expect(service.requestCount == 1)
        service.reset()
        #expect(service.requestCount == 0)
        await teas.finish()
    }

    @Test("Tests share nothing: 20 applications run at the same time")
    func parallel() async throws {
        let tasks = (1...20).map { seconds in Task { try await Self.oneApplication(.seconds(seconds)) } }
        for task in tasks { try await task.value }
    }

    private static func oneApplication(_ duration: Duration) async throws {
        let (app, _) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.slowly(duration)) { $0.title = "…" }
        await app.advance(by: duration)
        await teas.expectChange { $0.title = "Slow teas" }
        await teas.finish()
    }
}
