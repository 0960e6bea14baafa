// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The customer's profile. When the server fails, a kept one is shown, and the failure is told all the same: whoever
/// judges the server by this client must hear of it.
actor ProfileClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<ProfileState>
    private let network: CapabilityRef<any Network>
    private let cache: CapabilityRef<ResponseCache>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(ProfileState())
        network = try scope.capability((any Network).self)
        cache = try scope.capability(ResponseCache.self)
        ledger.singletons.created(Self.componentName, self)
    }

    var state: ProfileState { store.state }
    nonisolated var stateStream: StateStream<ProfileState> { store.stream }

    func process(_ action: ProfileAction) async throws {
        switch action {
        case .load(let customer):
            let answer = try await cache.current().fetch("/profiles/\(customer)")
            let profile = try JSON.decode(Profile.self, from: answer.body)
            store.update { $0 = ProfileState(profile: profile, isStale: answer.isStale) }
            if let failure = answer.failure { throw failure }
        case .rename(let customer, let name):
            let profile = try await network.current().post("/profiles/\(customer)", name, answer: Profile.self)
            store.update { $0 = ProfileState(profile: profile) }
        }
    }
}
