// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The proof that a customer is signed in.
struct Session: Codable, Hashable, Sendable {
    let customer: String
    @Redacted var token: String
}

/// The actions of signing in and out.
enum UserAction: Action {
    case signIn(customer: String)
    case signOut
}

/// The customer who is signed in.
struct UserState: OwnedState {
    var session: Session?
}

/// Signs customers in, which needs the server: an error is shown.
actor UserClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<UserState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(UserState())
        network = try scope.capability((any Network).self)
    }

    var state: UserState { store.state }
    nonisolated var stateStream: StateStream<UserState> { store.stream }

    func process(_ action: UserAction) async throws {
        switch action {
        case .signIn(let customer):
            let session = try await network.call { try await $0.post("/sessions", customer, answer: Session.self) }
            // Critical: a subscriber gets each session, however fast they change.
            store.update(.critical) { $0.session = session }
        case .signOut:
            store.update(.critical) { $0.session = nil }
        }
    }
}
