// SPDX-License-Identifier: Apache-2.0

import Observation
import Testing

@testable import Axiom

private struct MainState: OwnedState { var count = 0 }
private struct SideState: OwnedState { var count = 0 }

private enum SideAction: Action { case release }

/// A client with a second store, which it can release.
private actor SideClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<MainState>
    private var side: StateStore<SideState>?

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(MainState())
        side = scope.store(SideState())
    }

    var state: MainState { store.state }
    nonisolated var stateStream: StateStream<MainState> { store.stream }
    func process(_ action: SideAction) { side = nil }
}

/// A client that makes two stores of its state and keeps one.
private actor TwiceClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<MainState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        _ = scope.store(MainState())
        store = scope.store(MainState())
    }

    var state: MainState { store.state }
    nonisolated var stateStream: StateStream<MainState> { store.stream }
    func process(_ action: SideAction) {}
}

@MainActor
@Observable
private final class SideContext: Context {
    nonisolated let identity: ComponentIdentity
    @ObservationIgnored let client: any Client<MainState, SideAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(SideClient.self)
    }
}

@MainActor
@Suite("The stores of a client", .timeLimit(.minutes(10)))
struct ClientStoresTests {
    private let orchestrator = Orchestrator(limits: .endless)

    @Test("An inspection lists the stores that the client has not released")
    func released() async throws {
        orchestrator.register(SideClient.self) { SideClient($0) }
        orchestrator.register(SideContext.self) { try SideContext($0) }
        try await orchestrator.start()
        #expect(orchestrator.inspect().clients.first?.stores.map(\.state) == ["MainState", "SideState"])
        try await orchestrator.makeContext(SideContext.self).client.process(.release)
        #expect(orchestrator.inspect().clients.first?.stores.map(\.state) == ["MainState"])
        await orchestrator.shutdown()
    }

    @Test("Two stores of one state are a mistake, also if the client released one of them")
    func twoStores() async throws {
        orchestrator.register(TwiceClient.self) { TwiceClient($0) }
        let error = await #expect(throws: CompositionError.self) { try await orchestrator.start() }
        #expect(error?.code == .stateOwnedTwice)
    }

    @Test("A context of each type gets the same client while nothing observes it")
    func shared() async throws {
        orchestrator.register(SideClient.self) { SideClient($0) }
        orchestrator.register(SideContext.self) { try SideContext($0) }
        try await orchestrator.start()
        let (one, two) = try (orchestrator.makeContext(SideContext.self), orchestrator.makeContext(SideContext.self))
        #expect(one.client === two.client)
        await orchestrator.shutdown()
    }
}
