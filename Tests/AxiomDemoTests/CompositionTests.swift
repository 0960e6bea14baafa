// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Logging
import Testing

@testable import axiom_demo
@testable import shop_oracle

/// The oracle registers the components of the shop a second time, with decorators. Nothing but this test compares the two.
@Suite("The composition of the oracle")
@MainActor
struct CompositionTests {
    private let logger = Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() }
    private let clock = TimeSource.manual(ManualTime())

    /// What a dry run of the factories finds. It opens no database and no connection.
    private func report(_ register: @MainActor (Orchestrator) throws -> Void) throws -> CompositionReport {
        let orchestrator = Orchestrator(clock: clock)
        try register(orchestrator)
        let report = orchestrator.validate()
        #expect(report.isComplete, "\(report)")
        return report
    }

    private func demo() throws -> CompositionReport {
        let shop = axiom_demo.Shop(
            folder: "/nowhere",
            serverPort: 0,
            cataloguePolicy: try axiom_demo.ShopRules.cataloguePolicy(clock: clock),
            logger: logger,
            clock: clock
        )
        return try report(shop.register(with:))
    }

    private func oracle() throws -> CompositionReport {
        let shop = shop_oracle.Shop(
            folder: "/nowhere",
            serverPort: 0,
            cataloguePolicy: try shop_oracle.ShopRules.cataloguePolicy(clock: clock),
            logger: logger,
            clock: clock
        )
        return try report(CountedShop(shop: shop, ledger: .ofShop()).register(with:))
    }

    @Test("It has the components of the demo, with the same names and the same dependencies")
    func graphs() throws {
        let (plain, counted) = (try demo().graph, try oracle().graph)
        #expect(plain.nodes.count >= 15)
        #expect(Set(counted.nodes) == Set(plain.nodes))
        #expect(Set(counted.edges) == Set(plain.edges))
    }
}
