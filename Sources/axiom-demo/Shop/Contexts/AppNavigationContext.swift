// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The root of the application: which of its two pages is open.
@MainActor
@Observable
final class AppNavigationContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    let home: HomeContext
    let settings: SettingsContext
    private(set) var page = Page.home
    private let activity: BookedClient<ActivityAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        home = try scope.context(HomeContext.self)
        settings = try scope.context(SettingsContext.self)
        activity = BookedClient(stateless: try scope.client(ActivityClient.self), ActivityClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
    }

    func onAppear() async throws {
        try await activity.process(.record(ActivityEvent(name: "opened the shop")))
    }

    func perform(_ intent: AppNavigationIntent) async throws {
        switch intent {
        case .open(let page):
            self.page = page
            try await activity.process(.record(ActivityEvent(name: "opened \(page.rawValue)")))
        case .home(let intent): try await pass(intent, to: home)
        case .settings(let intent): try await pass(intent, to: settings)
        }
    }

    /// Nobody is told what the statistics miss: the page opens all the same.
    func remedy(for error: any Error) -> RecoveryStrategy? {
        error.isOfServers ? remedy("ignore") { true } : nil
    }
}
