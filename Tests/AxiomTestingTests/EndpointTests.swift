// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTesting
import Testing

private struct KettleState: OwnedState {
    var left = 2
}

private enum KettleAction: Action {
    typealias Answer = Int

    case take
}

private actor KettleClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<KettleState>

    init(_ scope: borrowing ClientScope) {
        identity = scope.identity
        store = scope.store(KettleState())
    }

    var state: KettleState { store.state }
    nonisolated var stateStream: StateStream<KettleState> { store.stream }

    func process(_ action: KettleAction) async throws -> Int {
        store.update { state in
            state.left -= 1
            return state.left
        }
    }
}

private final class KettleHandler: RequestHandler {
    let identity: ComponentIdentity
    private let tea: ClientOf<KettleClient>

    init(_ scope: borrowing HandlerScope) throws {
        identity = scope.identity
        tea = try scope.client(KettleClient.self)
    }

    func handle(_ request: KettleAction, in work: borrowing WorkScope) async throws -> Int {
        try await tea.process(.take) * 10
    }
}

@MainActor
@Suite("Request handlers under test", .timeLimit(.minutes(10)))
struct EndpointTests {
    private func makeApp() -> TestOrchestrator {
        TestOrchestrator {
            $0.register(KettleClient.self) { KettleClient($0) }
            $0.register(KettleHandler.self) { try KettleHandler($0) }
        }
    }

    @Test("An endpoint starts the application, and answers in the task of the test")
    func endpoint() async throws {
        let app = makeApp()
        let tea = try await app.endpoint(KettleHandler.self)
        #expect(try await tea.request(.take) == 10)
        await app.finish()
    }

    @Test("A double answers by its handler, and says what is missing without one")
    func double() async throws {
        let app = makeApp()
        let double = app.client(KettleClient.self, KettleState())
        let tea = try await app.endpoint(KettleHandler.self)
        let error = await #expect(throws: (any Error).self) { try await tea.request(.take) }
        #expect(error.map { "\($0)" }?.contains("on(_:)") == true)
        double.on { _, state in
            state.left = 7
            return state.left
        }
        #expect(try await tea.request(.take) == 70)
        #expect(double.actions.count == 2)
        await app.finish()
    }
}
