// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The page where the customer changes what the shop knows and says.
@MainActor
@Observable
final class SettingsContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    let profile: ProfileContext
    let notifications: NotificationContext

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        profile = try scope.context(ProfileContext.self)
        notifications = try scope.context(NotificationContext.self)
        ledger.roll.created(Self.componentName, self)
    }

    func perform(_ intent: SettingsIntent) async throws {
        switch intent {
        case .rename(let customer, let name): try await pass(.rename(customer: customer, to: name), to: profile)
        case .silence: try await pass(.markAllRead, to: notifications)
        }
    }
}
