// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// Who buys.
@MainActor
@Observable
final class UserContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    let profile: ProfileContext
    private(set) var customer: String?
    private let client: BookedClient<UserAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        profile = try scope.context(ProfileContext.self)
        let client = try scope.client(UserClient.self)
        self.client = BookedClient(client, UserClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(client) { $0.customer = $1.session?.customer }
    }

    func perform(_ intent: UserIntent) async throws {
        switch intent {
        case .signIn(let customer):
            try await client.process(.signIn(customer: customer))
            try await pass(.show(customer: customer), to: profile)
        case .signOut:
            try await client.process(.signOut)
        }
    }
}
