// SPDX-License-Identifier: Apache-2.0

import Observation

@testable import Axiom

/// A client that hands its store to the test.
actor OpenStoreClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<TallyState>

    init(_ scope: borrowing ClientScope, _ box: Box<StateStore<TallyState>>) {
        identity = scope.identity
        store = scope.store(TallyState())
        box.put(store)
    }

    var state: TallyState { store.state }
    nonisolated var stateStream: StateStream<TallyState> { store.stream }
    func process(_ action: NoAction) async throws {}
}

/// Observes an ``OpenStoreClient``, with a strategy that the test chooses.
@MainActor
final class OpenStoreContext: Context, Observable {
    nonisolated let identity: ComponentIdentity
    let client: any Client<TallyState, NoAction>
    var strategy = RecoveryStrategy.surface

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(OpenStoreClient.self)
    }

    func recovery(for error: any Error) -> RecoveryStrategy { strategy }
}

struct OpenStorePresentation: Presentation {
    let context: OpenStoreContext
    var body: Int { 0 }
}
