// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does to sign in and out.
enum UserIntent: Action, Hashable {
    case signIn(customer: String)
    case signOut
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
        observe(client) { $0.customer = $1.session?.customer }
    }

    func handle(_ intent: UserIntent) async throws {
        switch intent {
        case .signIn(let customer):
            try await client.process(.signIn(customer: customer))
            try await forward(.show(customer: customer), to: profile)
        case .signOut:
            try await client.process(.signOut)
        }
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
