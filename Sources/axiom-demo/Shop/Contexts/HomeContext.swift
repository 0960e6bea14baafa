// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The page with what is new for the customer.
@MainActor
@Observable
final class HomeContext: ShopContext {
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

    func perform(_ intent: HomeIntent) async throws {
        switch intent {
        case .refresh(let customer):
            try await pass(.show(customer: customer), to: profile)
            try await pass(.refresh(customer: customer), to: notifications)
        case .notifications(let intent):
            try await pass(intent, to: notifications)
        }
    }
}
