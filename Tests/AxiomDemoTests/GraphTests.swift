// SPDX-License-Identifier: Apache-2.0

import Axiom
import ShopLoad
import Testing

@testable import axiom_demo

@Suite("The shop's graph")
@MainActor
struct GraphTests {
    @Test("Contexts and clients are connected as the architecture says")
    func graph() async throws {
        let run = try DemoRun(DemoOptions())
        try await run.start()
        for screen in [Screen.appNavigation, .checkout] {
            let visit = Visit(orchestrator: run.orchestrator, ledger: run.ledger, displays: Displays(), shopper: 0)
            let window = try await screen.open(for: visit)
            await window.close()
        }
        let edges = run.orchestrator.graph.edges.filter { $0.from.kind == .context }
        #expect(Set(edges.map { "\($0.from.name) → \($0.to.name)" }) == Self.expected)
        try await run.shutdown()
    }

    private static let expected: Set<String> = [
        "AppNavigationContext → HomeContext", "AppNavigationContext → SettingsContext",
        "AppNavigationContext → ActivityClient",
        "HomeContext → ProfileContext", "HomeContext → NotificationContext",
        "SettingsContext → ProfileContext", "SettingsContext → NotificationContext",
        "ProfileContext → ProfileClient", "NotificationContext → NotificationClient",
        "CheckoutContext → UserContext", "CheckoutContext → CartContext", "CheckoutContext → PaymentContext",
        "UserContext → ProfileContext", "UserContext → UserClient",
        "CartContext → PricingContext", "CartContext → CartClient",
        "PaymentContext → PricingContext", "PaymentContext → PaymentClient",
        "PricingContext → PricingClient",
    ]
}
