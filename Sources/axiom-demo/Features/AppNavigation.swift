// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The pages of the application.
enum Page: String, Hashable, Sendable, CaseIterable {
    case home
    case settings
}

/// What a person does at the root of the application.
enum AppNavigationIntent: Action, Hashable {
    case open(Page)
    case home(HomeIntent)
    case settings(SettingsIntent)
}

/// The root of the application: knows which of its two pages is open.
@MainActor
@Observable
final class AppNavigationContext: Context {
    nonisolated let identity: ComponentIdentity
    let home: HomeContext
    let settings: SettingsContext
    private(set) var page = Page.home
    private let activity: any StatelessClient<ActivityAction>

    init(_ scope: borrowing ContextScope, activity: any StatelessClient<ActivityAction>) throws {
        identity = scope.identity
        self.activity = activity
        home = try scope.context(HomeContext.self)
        settings = try scope.context(SettingsContext.self)
    }

    func onAppear() async throws {
        try await activity.process(.record(ActivityEvent(name: "opened the shop")))
    }

    func handle(_ intent: AppNavigationIntent) async throws {
        switch intent {
        case .open(let page):
            self.page = page
            try await activity.process(.record(ActivityEvent(name: "opened \(page.rawValue)")))
        case .home(let intent): try await forward(intent, to: home)
        case .settings(let intent): try await forward(intent, to: settings)
        }
    }

    /// A page opens even if the statistics miss it.
    func recovery(for error: any Error) -> RecoveryStrategy {
        error.isServerFailure ? .ignore : .surface
    }
}

/// The application with the page that is open.
struct AppNavigationView: Presentation {
    let context: AppNavigationContext

    var body: String {
        switch context.page {
        case .home: TextBlock.render("Shop", context, HomeView(context: context.home).body)
        case .settings: TextBlock.render("Shop", context, SettingsView(context: context.settings).body)
        }
    }
}

/// What a person does on the home page.
enum HomeIntent: Action, Hashable {
    case refresh(customer: String)
    case notifications(NotificationIntent)
}

/// The home page: the customer's profile and inbox.
@MainActor
@Observable
final class HomeContext: Context {
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

/// What a person does on the settings page.
enum SettingsIntent: Action, Hashable {
    case rename(customer: String, to: String)
    case silence
}

/// The settings page: the customer changes the profile, and marks the whole inbox as read.
@MainActor
@Observable
final class SettingsContext: Context {
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
