// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does on the settings page.
enum SettingsIntent: Action, Hashable {
    case rename(customer: String, to: String)
    case silence
}

/// The settings page: the customer changes the profile, and marks the whole inbox as read.
@MainActor
@Observable
class SettingsContext: Context {
    nonisolated let identity: ComponentIdentity
    let profile: ProfileContext
    let notifications: NotificationContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        profile = try scope.context(ProfileContext.self)
        notifications = try scope.context(NotificationContext.self)
    }

    func handle(_ intent: SettingsIntent) async throws {
        switch intent {
        case .rename(let customer, let name): try await forward(.rename(customer: customer, to: name), to: profile)
        case .silence: try await forward(.markAllRead, to: notifications)
        }
    }
}

/// The settings page.
struct SettingsView: Presentation {
    let context: SettingsContext

    var body: String {
        TextBlock.render(
            "Settings",
            context,
            ProfileView(context: context.profile).body,
            NotificationView(context: context.notifications).body
        )
    }
}
