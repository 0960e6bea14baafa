// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience

/// The shop put together: every component, by the rules of the framework.
///
/// ```
/// AppNavigation ── Home ────── Profile, Notification
///               └─ Settings ── Profile, Notification
/// Checkout ── User ──── Profile
///          ├─ Cart ──── Pricing
///          └─ Payment ─ Pricing
/// ```
@MainActor
struct Shop {
    let ledger: Ledger
    /// The folder that storage writes to.
    let folder: String
    /// The port of the shop's servers on this machine.
    let upstreamPort: Int
    /// What stands around every access to the disk.
    let storagePolicy: Policy
    let clock: TimeSource

    /// Empty books that list every component of the shop.
    static func ledger() -> Ledger {
        Ledger(
            clients: names(clients),
            contexts: names(contexts),
            capabilities: names([HTTPNetwork.self, FileStorage.self, ResponseCache.self])
        )
    }

    nonisolated static let clients: [any Component.Type] = [
        ProfileClient.self, NotificationClient.self, UserClient.self, CartClient.self, PricingClient.self,
        PaymentClient.self, ActivityClient.self,
    ]

    nonisolated static let contexts: [any Component.Type] = [
        AppNavigationContext.self, HomeContext.self, SettingsContext.self, ProfileContext.self,
        NotificationContext.self, CheckoutContext.self, UserContext.self, CartContext.self, PricingContext.self,
        PaymentContext.self,
    ]

    private static func names(_ types: [any Component.Type]) -> [String] {
        types.map { $0.componentName }
    }

    /// Registers every component.
    func register(with orchestrator: Orchestrator) {
        registerCapabilities(orchestrator)
        registerClients(orchestrator)
        registerContexts(orchestrator)
    }

    private func registerCapabilities(_ orchestrator: Orchestrator) {
        let (ledger, folder, port, policy, clock) = (ledger, folder, upstreamPort, storagePolicy, clock)
        orchestrator.register(HTTPNetwork.self, as: (any Network).self) {
            HTTPNetwork($0, port: port, ledger: ledger, clock: clock)
        }
        orchestrator.register(FileStorage.self, as: (any Storage).self) {
            FileStorage($0, folder: folder, policy: policy, ledger: ledger)
        }
        orchestrator.register(ResponseCache.self) { try ResponseCache($0, ledger: ledger) }
    }

    private func registerClients(_ orchestrator: Orchestrator) {
        let ledger = ledger
        orchestrator.register(ProfileClient.self) { try ProfileClient($0, ledger: ledger) }
        orchestrator.register(NotificationClient.self) { try NotificationClient($0, ledger: ledger) }
        orchestrator.register(UserClient.self) { try UserClient($0, ledger: ledger) }
        orchestrator.register(CartClient.self) { try CartClient($0, ledger: ledger) }
        orchestrator.register(PricingClient.self) { try PricingClient($0, ledger: ledger) }
        orchestrator.register(PaymentClient.self) { try PaymentClient($0, ledger: ledger) }
        orchestrator.register(ActivityClient.self) { try ActivityClient($0, ledger: ledger) }
    }

    private func registerContexts(_ orchestrator: Orchestrator) {
        let ledger = ledger
        orchestrator.register(AppNavigationContext.self) { try AppNavigationContext($0, ledger: ledger) }
        orchestrator.register(HomeContext.self) { try HomeContext($0, ledger: ledger) }
        orchestrator.register(SettingsContext.self) { try SettingsContext($0, ledger: ledger) }
        orchestrator.register(ProfileContext.self) { try ProfileContext($0, ledger: ledger) }
        orchestrator.register(NotificationContext.self) { try NotificationContext($0, ledger: ledger) }
        orchestrator.register(CheckoutContext.self) { try CheckoutContext($0, ledger: ledger) }
        orchestrator.register(UserContext.self) { try UserContext($0, ledger: ledger) }
        orchestrator.register(CartContext.self) { try CartContext($0, ledger: ledger) }
        orchestrator.register(PricingContext.self) { try PricingContext($0, ledger: ledger) }
        orchestrator.register(PaymentContext.self) { try PaymentContext($0, ledger: ledger) }
    }
}
