// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage

/// What the shop knows about a customer.
struct Profile: Codable, Hashable, Sendable {
    let customer: String
    var name: String
    var points: Int
}

/// The actions of the profile. Rare, so their names come from reflection.
enum ProfileAction: Action {
    case load(customer: String)
    case rename(customer: String, to: String)
}

/// The profile that is shown.
struct ProfileState: OwnedState, Codable {
    var profile: Profile?
    /// Whether the profile is old because the server failed.
    var isStale = false
}

/// The customer's profile. It outlives the process: a profile that was shown is stored.
///
/// If the server fails, the client publishes a cached profile and throws the failure nevertheless: its circuit breaker
/// counts the errors that it throws.
actor ProfileClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: DurableStore<ProfileState>
    private let network: CapabilityRef<any Network>
    private let cache: CapabilityRef<ResponseCache>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        store = scope.persistentStore(ProfileState(), "profile", in: storage, durability: .beforePublishing)
        network = try scope.capability((any Network).self)
        cache = try scope.capability(ResponseCache.self)
    }

    var state: ProfileState { store.state }
    nonisolated var stateStream: StateStream<ProfileState> { store.stream }

    func activate() async throws {
        try await store.load()
    }

    func process(_ action: ProfileAction) async throws {
        switch action {
        case .load(let customer):
            let answer = try await cache.call { try await $0.fetch("/profiles/\(customer)") }
            let profile = try JSON.decode(Profile.self, from: answer.body)
            do {
                try await store.update { $0 = ProfileState(profile: profile, isStale: answer.isStale) }
            } catch {
                // The failure of the server was first, and the circuit breaker counts it.
                throw answer.failure ?? error
            }
            if let failure = answer.failure { throw failure }
        case .rename(let customer, let name):
            let profile = try await network.call {
                try await $0.post("/profiles/\(customer)", name, answer: Profile.self)
            }
            try await store.update { $0 = ProfileState(profile: profile) }
        }
    }
}
