// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

/// Leaves everything to the defaults.
private struct SilentObserver: Instrumentation, FrameworkObserver {
    var frameworkObservers: FrameworkObservers { FrameworkObservers(self) }
}

private actor Bell: StatelessClient, Component {
    enum Ring: Action { case once }

    nonisolated let identity: ComponentIdentity
    private(set) var rings = 0

    init(_ scope: borrowing ClientScope) { identity = scope.identity }

    func process(_ action: Ring) { rings += 1 }
}

@MainActor
@Observable
private final class Door: Context {
    @ObservationIgnored nonisolated let identity: ComponentIdentity
    @ObservationIgnored private let bell: any StatelessClient<Bell.Ring>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        bell = try scope.client(Bell.self)
    }

    func handle(_ action: Bell.Ring) async throws { try await bell.process(action) }
}

@MainActor
@Suite("An observer of the framework that leaves everything to the defaults", .timeLimit(.minutes(10)))
struct SilentObserverTests {
    @Test("It provides nothing, and the application works")
    func silent() async throws {
        let observer = SilentObserver()
        let orchestrator = Orchestrator(instrumentation: observer)
        orchestrator.register(Bell.self) { Bell($0) }
        orchestrator.register(Door.self) { try Door($0) }
        try await orchestrator.start()
        let door = try orchestrator.makeContext(Door.self, ())
        try await door.request(.once)
        #expect(door.errorBoundary.count == 0)
        let bell = try #require(orchestrator.graph.nodes.first { $0.name == "Bell" })
        #expect(observer.spanProbe(for: bell, actions: ["once"]) == nil)
        #expect(observer.faultGate(for: bell) == nil && observer.stateRecorder(for: bell, instance: 1) == nil)
        #expect(observer.scenarioRecording == nil && observer.actionsInFlight(of: bell) == nil)
        #expect(orchestrator.inspect().clients.map(\.name) == ["Bell"])
        await orchestrator.shutdown()
    }

    @Test("A component without objects of its own has no bytes of the framework")
    func noBytes() {
        #expect(ComponentRuntime().frameworkBytes == 0)
    }
}
