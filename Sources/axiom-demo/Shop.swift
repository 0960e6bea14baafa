// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomResilience
internal import AxiomStorage
internal import AxiomSystem
internal import Foundation
internal import Logging

/// The composition of the shop: registers the factory of each component.
///
/// ```
/// AppNavigation ── Home ── Profile, Pricing
/// Checkout ── User ── Profile
///          └─ Cart ── Pricing
/// ```
@MainActor
struct Shop {
    /// The folder of the database.
    let folder: String
    /// The port of the shop's server on this machine.
    let serverPort: Int
    /// Protects the requests for products.
    let cataloguePolicy: Policy
    let logger: Logger
    let clock: TimeSource

    /// Registers each component.
    ///
    /// - Throws: `CacheError` for invalid limits, which these are not.
    func register(with orchestrator: Orchestrator) throws {
        registerCapabilities(orchestrator)
        try registerClients(orchestrator)
        registerContexts(orchestrator)
    }

    private func registerCapabilities(_ orchestrator: Orchestrator) {
        let (folder, port, logger, clock) = (folder, serverPort, logger, clock)
        orchestrator.register(HTTPNetwork.self, as: (any Network).self) {
            try HTTPNetwork($0, port: port, clock: clock, logger: logger)
        }
        orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) {
            SQLiteStorage($0, path: "\(folder)/shop.db", options: StorageOptions(name: "shop"))
        }
        orchestrator.register(BackgroundTasks.self) { BackgroundTasks($0, clock: clock) }
    }

    private func registerClients(_ orchestrator: Orchestrator) throws {
        let (policy, clock) = (cataloguePolicy, clock)
        let catalogue = try Self.catalogue(orchestrator, clock)
        orchestrator.register(ProfileClient.self) { try ProfileClient($0) }
        orchestrator.register(UserClient.self) { try UserClient($0) }
        orchestrator.register(CartClient.self) { try CartClient($0, clock: clock) }
        orchestrator.register(PricingClient.self) { try PricingClient($0, catalogue: catalogue, policy: policy) }
        orchestrator.register(ActivityClient.self) { try ActivityClient($0) }
    }

    private func registerContexts(_ orchestrator: Orchestrator) {
        orchestrator.register(AppNavigationContext.self) {
            try AppNavigationContext($0, activity: $0.client(ActivityClient.self))
        }
        orchestrator.register(HomeContext.self) { try HomeContext($0) }
        orchestrator.register(ProfileContext.self) {
            try ProfileContext($0, client: $0.client(ProfileClient.self))
        }
        orchestrator.register(CheckoutContext.self) { try CheckoutContext($0) }
        orchestrator.register(UserContext.self) { try UserContext($0, client: $0.client(UserClient.self)) }
        orchestrator.register(CartContext.self) { try CartContext($0, client: $0.client(CartClient.self)) }
        orchestrator.register(PricingContext.self) {
            try PricingContext($0, client: $0.client(PricingClient.self))
        }
    }

    /// The products by article: fresh for 5 s, and good enough for 10 minutes while the server fails.
    static func catalogue(_ orchestrator: Orchestrator, _ clock: TimeSource) throws -> Cache<String, Product> {
        let limits = CacheLimits(lifetime: .seconds(5), staleLifetime: .seconds(600))
        return try orchestrator.cache("catalogue", limits: limits, clock: clock)
    }
}

extension Orchestrator {
    /// Monitors the space of the file system with the shop's files, and the pressure on main memory. They change the levels
    /// of the capabilities that need them.
    ///
    /// - Parameter folder: The folder of the database, whose files are small.
    /// - Throws: `CapabilityError` for parameters outside their ranges, which these are not.
    func monitorMachine(folder: String, clock: TimeSource) async throws {
        let path = URL(fileURLWithPath: folder).path
        let disk = try DiskSpaceSource(path, warning: .bytes(64 << 20), critical: .bytes(16 << 20), clock: clock)
        monitor(disk, for: (any KeyValueStorage).self)
        #if os(Linux)
        let memory = try MemoryPressureSource(clock: clock)
        // A kernel without pressure stall information has nothing to report.
        if (try? await memory.method()) != nil { monitor(memory, for: BackgroundTasks.self) }
        #endif
    }
}
