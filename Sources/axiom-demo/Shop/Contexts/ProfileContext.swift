// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The customer's profile, wherever it is shown.
@MainActor
@Observable
final class ProfileContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    private(set) var name = ""
    private(set) var points = 0
    private(set) var isStale = false
    /// Whose profile is to be shown; nil while one is to be changed, which nothing else can take the place of.
    private var customer: String?
    private let client: BookedClient<ProfileAction>
    private let profiles: any Client<ProfileState, ProfileAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        profiles = try scope.client(ProfileClient.self)
        client = BookedClient(profiles, ProfileClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(profiles) { $0.show($1) }
    }

    func perform(_ intent: ProfileIntent) async throws {
        switch intent {
        case .show(let customer):
            self.customer = customer
            try await client.process(.load(customer: customer))
        case .rename(let customer, let name):
            self.customer = nil
            try await client.process(.rename(customer: customer, to: name))
        }
    }

    /// While the servers fail or are given a rest, the profile that is there will do.
    func remedy(for error: any Error) -> RecoveryStrategy? {
        guard error.isOfServers, let customer else { return nil }
        return remedy("fallback") { [self] in
            guard await profiles.state.profile?.customer == customer else { return false }
            isStale = true
            return true
        }
    }

    private func show(_ state: ProfileState) {
        name = state.profile?.name ?? ""
        points = state.profile?.points ?? 0
        isStale = state.isStale
    }
}
