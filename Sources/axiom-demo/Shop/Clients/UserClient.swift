// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Who is signed in. Without a server nobody signs in: a failure here is shown.
actor UserClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<UserState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(UserState())
        network = try scope.capability((any Network).self)
        ledger.singletons.created(Self.componentName, self)
    }

    var state: UserState { store.state }
    nonisolated var stateStream: StateStream<UserState> { store.stream }

    func process(_ action: UserAction) async throws {
        switch action {
        case .signIn(let customer):
            let session = try await network.current().post("/sessions", customer, answer: Session.self)
            // Observers must not miss who is signed in, however fast it changes.
            store.update(.critical) { $0.session = session }
        case .signOut:
            store.update(.critical) { $0.session = nil }
        }
    }
}
