// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does at the root of the application.
enum AppNavigationIntent: Action, Hashable {
    case browse(article: String)
    case home(HomeIntent)
}

/// The root of the application: reports to the statistics what people look at.
@MainActor
@Observable
final class AppNavigationContext: Context {
    nonisolated let identity: ComponentIdentity
    let home: HomeContext
    private let activity: any StatelessClient<ActivityAction>

    init(_ scope: borrowing ContextScope, activity: any StatelessClient<ActivityAction>) throws {
        identity = scope.identity
        self.activity = activity
        home = try scope.context(HomeContext.self)
    }

    func onAppear() async throws {
        try await activity.process(.record(ActivityEvent(name: "opened the shop")))
    }

    func handle(_ intent: AppNavigationIntent) async throws {
        switch intent {
        case .browse(let article): try await activity.process(.record(ActivityEvent(name: "browsed \(article)")))
        case .home(let intent): try await forward(intent, to: home)
        }
    }

    /// The shop works even if the statistics miss something.
    func recovery(for error: any Error) -> RecoveryStrategy {
        error.isServerFailure ? .ignore : .surface
    }
}

/// The application.
struct AppNavigationView: Presentation {
    let context: AppNavigationContext

    var body: String { TextBlock.render("Shop", context, HomeView(context: context.home).body) }
}

/// What a person does on the home page.
enum HomeIntent: Action, Hashable {
    case profile(ProfileAction)
    case price([CartLine])
}

/// The home page: the customer's profile, and the price of what is on offer.
@MainActor
@Observable
final class HomeContext: Context {
    nonisolated let identity: ComponentIdentity
    let profile: ProfileContext
    let pricing: PricingContext

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        profile = try scope.context(ProfileContext.self)
        pricing = try scope.context(PricingContext.self)
    }

    func handle(_ intent: HomeIntent) async throws {
        switch intent {
        case .profile(let action): try await forward(action, to: profile)
        case .price(let lines): try await forward(.quote(lines), to: pricing)
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
            PricingView(context: context.pricing).body
        )
    }
}
