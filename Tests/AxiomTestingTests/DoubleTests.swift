// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Testing

@MainActor
@Suite("Doubles of clients and capabilities", .timeLimit(.minutes(10)))
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
        let script = client.sends([TeaState(teas: [.green]), TeaState(teas: [.black])], after: .seconds(1))
        await app.time.waitForSleepers(1)
        await app.advance(by: .seconds(1))
        await app.time.waitForSleepers(1)
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        await app.advance(by: .seconds(1))
        await script.value
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

    @Test("A client alone has its state, and records actions and states (TL-T2)")
    func recording() async throws {
        let client = TestClient<TeaState, TeaAction>(TeaState())
        client.on { _, state in state.loads += 1 }
        try await client.process(.load)
        #expect(await client.state == TeaState(loads: 1))
        #expect(client.history == [TeaState(), TeaState(loads: 1)])
        #expect(client.actions.count == 1)
        #expect(client.verifyAction { if case .load = $0 { true } else { false } })
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

    @Test("Each state has its effect on a call (TL-T7)", arguments: SimulatedState.allCases)
    func effect(of state: SimulatedState) async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        try await service.enter(state)
        switch state {
        case .full, .limited, .minimal:
            await teas.send(.load)
            await teas.receive(TeaClient.self) { $0.teas = [.green] }
        case .unavailable, .notAvailable, .failing:
            await teas.send(.load)
            await teas.expectError(.capabilityUnavailable)
        case .permissionRevoked:
            await teas.send(.load)
            await teas.expectError(AuthorizationError.forbidden("x").code)
        case .hanging, .slow:
            await teas.send(.load) { $0.isLoading = true }
            if state == .slow { await app.advance(by: .seconds(1)) } else { service.release() }
            await teas.receive(TeaClient.self) { $0.teas = [.green] }
            await teas.expectChange { $0.isLoading = false }
        }
        await teas.finish()
    }

    @Test("The orchestrator follows the level of a simulated capability (TL-T7)")
    func level() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        try await app.start()
        service.degrade(.limited, because: "it is slow")
        await app.settle()
        #expect(app.orchestrator.degradation.worst == .limited)
        await app.finish()
    }

    @Test("A simulation records its calls and is reset (TL-T8)")
    func mock() async throws {
        let (app, service) = TestOrchestrator.teaShop()
        let teas = try await app.context(TeaContext.self)
        await teas.send(.load)
        await teas.receive(TeaClient.self) { $0.teas = [.green] }
        #expect(service.calls.count == 1)
        service.reset()
        #expect(service.calls.count == 0)
        await teas.finish()
    }

    @Test("The double itself is reset (TL-T8)")
    func mockItself() async throws {
        let scopes = TestScopes()
        scopes.simulate(FakeTeaService.self, as: FakeTeaService.self).on("teas", answer: [Tea.green])
        let kettle = try await scopes.capability { try Kettle($0) }
        #expect(try await kettle.service.call { try await $0.teas(1) } == [.green])
        #expect(try await kettle.service.call { $0.simulation.calls.count } == 1)
        try await kettle.service.call { $0.reset() }
        #expect(try await kettle.service.call { $0.simulation.calls.count } == 0)
    }

    @Test("An answer may depend on the input; an answer for an input of another type names both types (TL-T7)")
    func inputs() async throws {
        let scopes = TestScopes()
        let service = scopes.simulate((any TeaService).self, as: FakeTeaService.self)
        service.on("teas") { (page: Int) in [Tea(id: page, name: "Page \(page)")] }
        let clock = scopes.clock
        let client = try await scopes.client { try TeaClient($0, clock) }
        try await client.process(.load)
        #expect(await client.state.teas == [Tea(id: 1, name: "Page 1")])
        service.on("teas") { (_: String) in [Tea.green] }
        let error = await #expect(throws: CapabilityError.self) { try await client.process(.load) }
        #expect(error?.message.contains("teas takes Int, not String") == true)
    }

    @Test("The framework reads the permission of a simulated system capability, and refuses uses without it (TL-T7)")
    func permission() async throws {
        let scopes = TestScopes()
        let camera = scopes.simulate(FakeScanner.self, as: FakeScanner.self)
        camera.on("scan", answer: 7)
        let till = try await scopes.capability { try Till($0) }
        #expect(till.scanner.permissionStatus(.files) == .granted)
        #expect(try await till.scanner.call { try await $0.scan() } == 7)
        try await camera.permission(.denied)
        #expect(till.scanner.permissionStatus(.files) == .denied)
        await #expect(throws: AuthorizationError.self) { try await till.scanner.call { try await $0.scan() } }
        #expect(camera.calls == ["scan"])
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

/// Uses the double by its own type.
actor Kettle: Capability {
    nonisolated let identity: ComponentIdentity
    nonisolated let service: CapabilityRef<FakeTeaService>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        service = try scope.capability(FakeTeaService.self)
    }
}

/// A double of a capability that the user has to permit.
actor FakeScanner: SystemCapability, SimulatedCapability {
    static let permissions: Set<Permission> = [.files]
    nonisolated let identity: ComponentIdentity
    nonisolated let simulation: Simulation

    init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
        (identity, self.simulation) = (scope.identity, simulation)
        simulation.connect(scope)
    }

    func scan() async throws -> Int { try await simulation.answer() }
}

actor Till: Capability {
    nonisolated let identity: ComponentIdentity
    nonisolated let scanner: CapabilityRef<FakeScanner>

    init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        scanner = try scope.capability(FakeScanner.self)
    }
}
