// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage
internal import Observation

/// What the shop knows about a customer.
struct CustomerProfile: Codable, Hashable, Sendable {
    let customer: String
    var name: String
    var points: Int
}

/// The actions of the profile.
enum ProfileAction: Action, Hashable {
    case load(customer: String)
    case rename(customer: String, to: String)
}

/// The profile that is shown.
struct ProfileState: OwnedState, Codable {
    var profile: CustomerProfile?
}

/// The customer's profile. It outlives the process: a profile that was shown is stored.
actor ProfileClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: DurableStore<ProfileState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        store = scope.persistentStore(ProfileState(), "profile", in: storage, durability: .beforePublishing)
        network = try scope.capability((any Network).self)
    }

    var state: ProfileState { store.state }
    nonisolated var stateStream: StateStream<ProfileState> { store.stream }

    func activate() async throws {
        try await store.load()
    }

    func process(_ action: ProfileAction) async throws {
        let profile =
            switch action {
            case .load(let customer):
                try await network.call { try await $0.get("/profiles/\(customer)", as: CustomerProfile.self) }
            case .rename(let customer, let name):
                try await network.call {
                    try await $0.post("/profiles/\(customer)", name, answer: CustomerProfile.self)
                }
            }
        try await store.update { $0.profile = profile }
    }
}

/// Shows the customer's profile.
@MainActor
@Observable
final class ProfileContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var profile: CustomerProfile?
    /// Whether the profile is an old one, because the server did not give a new one.
    private(set) var isStale = false
    /// The customer whose profile is being loaded; nil while one is being changed.
    private var customer: String?
    private let client: any Client<ProfileState, ProfileAction>

    init(_ scope: borrowing ContextScope, client: any Client<ProfileState, ProfileAction>) {
        identity = scope.identity
        self.client = client
    }

    func onAppear() async throws {
        observe(client) { ($0.profile, $0.isStale) = ($1.profile, false) }
    }

    func handle(_ action: ProfileAction) async throws {
        customer = if case .load(let customer) = action { customer } else { nil }
        try await client.process(action)
    }

    /// While the server fails, a profile of the same customer that is shown is good enough.
    func recovery(for error: any Error) -> RecoveryStrategy {
        guard error.isServerFailure, let customer else { return .surface }
        return RecoveryStrategy("fallback") { [self] operation in
            guard profile?.customer == customer else { throw operation.error }
            isStale = true
        }
    }
}

/// The customer's profile.
struct ProfileView: Presentation {
    let context: ProfileContext

    var body: String {
        TextBlock.render(
            "Profile\(TextBlock.mark(stale: context.isStale))",
            context,
            context.profile.map { "\($0.name), \($0.points) points" } ?? "no customer yet"
        )
    }
}
