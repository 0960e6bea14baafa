// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The proof that a customer is signed in.
struct Session: Codable, Hashable, Sendable {
    let customer: String
    @Redacted var token: String
}

/// The actions of signing in and out.
enum UserAction: Action, Hashable {
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

/// Shows the customer who buys.
@MainActor
@Observable
final class UserContext: Context {
    nonisolated let identity: ComponentIdentity
    let profile: ProfileContext
    private(set) var customer: String?
    private let client: any Client<UserState, UserAction>

    init(_ scope: borrowing ContextScope, client: any Client<UserState, UserAction>) throws {
        identity = scope.identity
        self.client = client
        profile = try scope.context(ProfileContext.self)
    }

    func onAppear() async throws {
        observe(client) { $0.customer = $1.session?.customer }
    }

    func handle(_ action: UserAction) async throws {
        try await client.process(action)
        if case .signIn(let customer) = action { try await forward(.load(customer: customer), to: profile) }
    }
}

/// The customer who buys.
struct UserView: Presentation {
    let context: UserContext

    var body: String {
        TextBlock.render(
            "Signed in: \(context.customer ?? "no one")",
            context,
            ProfileView(context: context.profile).body
        )
    }
}
