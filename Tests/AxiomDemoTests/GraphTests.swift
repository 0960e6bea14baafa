// SPDX-License-Identifier: Apache-2.0

import Axiom
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
            let counter = Counter(orchestrator: run.orchestrator, ledger: run.ledger, screens: Screens(), shopper: 0)
            let window = try await screen.open(at: counter)
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
