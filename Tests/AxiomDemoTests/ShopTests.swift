// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Axiom
import AxiomDashboard
import AxiomInstrumentation
import AxiomNavigation
import Foundation
import Testing

@testable import axiom_demo

@Suite("The shop's graph")
@MainActor
struct GraphTests {
    @Test("Contexts and clients are connected as the architecture requires")
    func graph() async throws {
        let run = try DemoRun(.parse([]))
        try await run.start()
        // They make the contexts below them.
        _ = try run.orchestrator.makeContext(AppNavigationContext.self)
        _ = try run.orchestrator.makeContext(CheckoutContext.self)
        let edges = run.orchestrator.graph.edges.filter { $0.from.kind == .context }
        #expect(Set(edges.map { "\($0.from.name) → \($0.to.name)" }) == Self.expected)
        try await run.shutdown()
    }

    private static let expected: Set<String> = [
        "AppNavigationContext → HomeContext", "AppNavigationContext → ActivityClient",
        "HomeContext → ProfileContext", "HomeContext → PricingContext",
        "ProfileContext → ProfileClient",
        "CheckoutContext → UserContext", "CheckoutContext → CartContext",
        "UserContext → ProfileContext", "UserContext → UserClient",
        "CartContext → PricingContext", "CartContext → CartClient",
        "PricingContext → PricingClient",
    ]
}

#if Instrumented
@Suite("The shop's policies on the dashboard")
@MainActor
struct PolicyRowTests {
    private struct Snapshot: Decodable {
        struct Policy: Decodable {
            let name: String
            let value: Double?
            let unit: String
        }

        let policies: [Policy]
    }

    @Test("The policy of the catalogue is shown: retries and the rest of their budget, the bulkhead, the timeout")
    func catalogue() async throws {
        let telemetry = try Telemetry()
        let run = try DemoRun(.parse([]), instrumentation: telemetry)
        try telemetry.watch(run.cataloguePolicy)
        let dashboard = Dashboard(telemetry: telemetry, name: "Shop")
        try await run.start()
        try await run.load(.steps(20))
        let json = Data(dashboard.snapshot())
        try await run.shutdown()
        let policies = try JSONDecoder().decode(Snapshot.self, from: json).policies
        let values = Dictionary(uniqueKeysWithValues: policies.map { ($0.name, $0.value) })
        #expect(
            Set(values.keys) == [
                "catalogue: retries", "catalogue: retries left", "catalogue: retries refused", "catalogue: in use of 8",
                "catalogue: queued", "catalogue: rejected", "catalogue: timeouts",
            ]
        )
        #expect(values["catalogue: retries left"] == 20)
        #expect(values["catalogue: in use of 8"] == 0)
        #expect(policies.allSatisfy { $0.unit == "count" })
    }
}
#endif
