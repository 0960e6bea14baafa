// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation
internal import Logging

/// The composition of the shop with decorators: a copy of `Shop`, whose components the ledger tracks and whose calls it counts.
@MainActor
struct CountedShop {
    let shop: Shop
    let ledger: Ledger

    /// Registers each component of the shop.
    ///
    /// - Throws: As `Shop.register(with:)`.
    func register(with orchestrator: Orchestrator) throws {
        registerCapabilities(orchestrator)
        try registerClients(orchestrator)
        registerRoots(orchestrator)
        registerContextsWithClients(orchestrator)
    }

    private func registerCapabilities(_ orchestrator: Orchestrator) {
        let (ledger, folder, port, logger, clock) = (ledger, shop.folder, shop.serverPort, shop.logger, shop.clock)
        orchestrator.register(CountedNetwork.self, as: (any Network).self) {
            ledger.tracked(try CountedNetwork($0, port: port, clock: clock, logger: logger, faults: ledger.faults))
        }
        orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) {
            ledger.tracked(SQLiteStorage($0, path: "\(folder)/shop.db", options: StorageOptions(name: "shop")))
        }
        orchestrator.register(BackgroundTasks.self) { ledger.tracked(BackgroundTasks($0, clock: clock)) }
    }

    private func registerClients(_ orchestrator: Orchestrator) throws {
        let (ledger, policy, clock) = (ledger, shop.cataloguePolicy, shop.clock)
        let catalogue = try Shop.catalogue(orchestrator, clock)
        orchestrator.register(ProfileClient.self) { ledger.tracked(try ProfileClient($0)) }
        orchestrator.register(UserClient.self) { ledger.tracked(try UserClient($0)) }
        orchestrator.register(CartClient.self) { ledger.tracked(try CartClient($0, clock: clock)) }
        orchestrator.register(PricingClient.self) {
            ledger.tracked(try PricingClient($0, catalogue: catalogue, policy: policy))
        }
        orchestrator.register(ActivityClient.self) { ledger.tracked(try ActivityClient($0)) }
    }

    /// The contexts that depend on other contexts alone, and the one with a stateless client.
    private func registerRoots(_ orchestrator: Orchestrator) {
        let ledger = ledger
        orchestrator.register(AppNavigationContext.self) {
            let activity = ledger.counted(stateless: try $0.client(ActivityClient.self), ActivityClient.self)
            return ledger.tracked(try AppNavigationContext($0, activity: activity))
        }
        orchestrator.register(HomeContext.self) { ledger.tracked(try HomeContext($0)) }
        orchestrator.register(CheckoutContext.self) { ledger.tracked(try CheckoutContext($0)) }
    }

    private func registerContextsWithClients(_ orchestrator: Orchestrator) {
        let ledger = ledger
        orchestrator.register(ProfileContext.self) {
            let client = ledger.counted(try $0.client(ProfileClient.self), ProfileClient.self)
            return ledger.tracked(ProfileContext($0, client: client))
        }
        orchestrator.register(UserContext.self) {
            let client = ledger.counted(try $0.client(UserClient.self), UserClient.self)
            return ledger.tracked(try UserContext($0, client: client))
        }
        orchestrator.register(CartContext.self) {
            let client = ledger.counted(try $0.client(CartClient.self), CartClient.self) { action in
                if case .order(let order) = action { ledger.orders.placed(order.id.uuidString) }
            }
            return ledger.tracked(try CartContext($0, client: client))
        }
        orchestrator.register(PricingContext.self) {
            let client = ledger.counted(try $0.client(PricingClient.self), PricingClient.self)
            return ledger.tracked(PricingContext($0, client: client))
        }
    }
}

extension Ledger {
    /// A ledger that lists each component of the shop.
    static func ofShop() -> Ledger {
        let capabilities: [any Component.Type] = [HTTPNetwork.self, SQLiteStorage.self, BackgroundTasks.self]
        return Ledger(
            clients: ShopRules.clients.map { $0.componentName },
            contexts: ShopRules.contexts.map { $0.componentName },
            capabilities: capabilities.map { $0.componentName }
        )
    }
}
