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
    private let client: BookedClient<ProfileAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        let client = try scope.client(ProfileClient.self)
        self.client = BookedClient(client, ProfileClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(client) { $0.show($1) }
    }

    func perform(_ intent: ProfileIntent) async throws {
        switch intent {
        case .show(let customer): try await client.process(.load(customer: customer))
        case .rename(let customer, let name): try await client.process(.rename(customer: customer, to: name))
        }
    }

    private func show(_ state: ProfileState) {
        name = state.profile?.name ?? ""
        points = state.profile?.points ?? 0
        isStale = state.isStale
    }
}
