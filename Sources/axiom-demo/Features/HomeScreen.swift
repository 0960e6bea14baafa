// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does on the home page.
enum HomeIntent: Action, Hashable {
    case refresh(customer: String)
    case notifications(NotificationIntent)
}

/// The home page: the customer's profile and inbox.
@MainActor
@Observable
class HomeContext: Context {
    nonisolated let identity: ComponentIdentity
    let profile: ProfileContext
    let notifications: NotificationContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        profile = try scope.context(ProfileContext.self)
        notifications = try scope.context(NotificationContext.self)
    }

    func handle(_ intent: HomeIntent) async throws {
        switch intent {
        case .refresh(let customer):
            try await forward(.show(customer: customer), to: profile)
            try await forward(.refresh(customer: customer), to: notifications)
        case .notifications(let intent):
            try await forward(intent, to: notifications)
        }
    }
}

/// The home page.
struct HomeView: Presentation {
    let context: HomeContext

    var body: String {
        TextBlock.render(
            "Home",
            context,
            ProfileView(context: context.profile).body,
            NotificationView(context: context.notifications).body
        )
    }
}

extension Context {
    /// Sends an action to a downstream context. The errors of the action end at that context's boundary.
    ///
    /// - Throws: `CancellationError` if the task is cancelled: then the rest of this context's action is cancelled too.
    func forward<C: Context>(_ action: C.ActionType, to context: C) async throws {
        await context.send(action)
        try Task.checkCancellation()
    }
}
