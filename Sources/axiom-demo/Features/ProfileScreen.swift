// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does with a profile.
enum ProfileIntent: Action, Hashable {
    case show(customer: String)
    case rename(customer: String, to: String)
}

/// Shows the customer's profile.
@MainActor
@Observable
final class ProfileContext: Context {
    nonisolated let identity: ComponentIdentity
    private(set) var name = ""
    private(set) var points = 0
    private(set) var isStale = false
    /// The customer whose profile is being loaded; nil while one is being changed.
    private var customer: String?
    private let client: any Client<ProfileState, ProfileAction>

    init(_ scope: borrowing ContextScope, client: any Client<ProfileState, ProfileAction>) throws {
        identity = scope.identity
        self.client = client
        observe(client) { $0.show($1) }
    }

    func handle(_ intent: ProfileIntent) async throws {
        switch intent {
        case .show(let customer):
            self.customer = customer
            try await client.process(.load(customer: customer))
        case .rename(let customer, let name):
            self.customer = nil
            try await client.process(.rename(customer: customer, to: name))
        }
    }

    /// While the server fails, a profile of the same customer that is loaded is good enough.
    func recovery(for error: any Error) -> RecoveryStrategy {
        guard error.isServerFailure, let customer else { return .surface }
        return RecoveryStrategy("fallback") { [self] operation in
            guard await client.state.profile?.customer == customer else { throw operation.error }
            isStale = true
        }
    }

    private func show(_ state: ProfileState) {
        name = state.profile?.name ?? ""
        points = state.profile?.points ?? 0
        isStale = state.isStale
    }
}

/// The customer's profile.
struct ProfileView: Presentation {
    let context: ProfileContext

    var body: String {
        TextBlock.render(
            "Profile\(TextBlock.mark(stale: context.isStale))",
            context,
            context.name.isEmpty ? "no customer yet" : "\(context.name), \(context.points) points"
        )
    }
}
