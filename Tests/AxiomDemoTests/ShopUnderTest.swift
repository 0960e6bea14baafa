// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTesting
import Foundation
import Logging

@testable import axiom_demo

extension Shop {
    /// The error of the first request; nil for a server that answers it.
    @TaskLocal static var firstFailure: NetworkError?

    /// The shop on a manual time, with storage in memory and a server that answers everything at once. The tests that
    /// `axiom-demo --record-scenario` writes use it: put them beside this file.
    static func underTest() throws -> TestOrchestrator {
        let app = TestOrchestrator(exhaustivity: .off)
        let shop = Shop(
            folder: "",
            serverPort: 0,
            cataloguePolicy: try ShopRules.cataloguePolicy(clock: app.clock),
            logger: Logger(label: "shop") { _ in SwiftLogNoOpLogHandler() },
            clock: app.clock
        )
        try shop.register(with: app.orchestrator)
        let network = app.simulate((any Network).self, as: FakeNetwork.self)
        if let firstFailure { network.fail(with: firstFailure) }
        app.orchestrator.override((any KeyValueStorage).self) { FakeStorage($0) }
        return app
    }
}

/// A storage in memory.
actor FakeStorage: KeyValueStorage, Capability {
    nonisolated let identity: ComponentIdentity
    private let memory = MemoryStorage()

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func data(_ key: StorageKey) async -> Data? { await memory.data(key) }
    func keys(prefix: String) async -> [StorageKey] { await memory.keys(prefix: prefix) }
    func transaction(_ changes: [StorageChange]) async { await memory.transaction(changes) }
}

/// The network of a server that has every customer and every article.
actor FakeNetwork: Network, MockCapability {
    nonisolated let identity: ComponentIdentity
    nonisolated let simulation: Simulation

    init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
        (identity, self.simulation) = (scope.identity, simulation)
        simulation.connect(scope)
    }

    func send(_ request: NetworkRequest) async throws -> Data {
        try await simulation.call("\(request.method) \(request.path)")
        let path = request.path.split(separator: "/").map(String.init)
        return try Self.answer(to: request, path[0], path.count > 1 ? path[1] : "")
    }

    private static func answer(to request: NetworkRequest, _ resource: String, _ name: String) throws -> Data {
        switch (request.method, resource) {
        case ("POST", "sessions"):
            try ShopJSON.encode(["customer": ShopJSON.decode(String.self, from: request.body), "token": "token"])
        case ("GET", "profiles"): try ShopJSON.encode(CustomerProfile(customer: name, name: name, points: 1))
        case ("POST", "profiles"):
            try ShopJSON.encode(
                CustomerProfile(customer: name, name: ShopJSON.decode(String.self, from: request.body), points: 2)
            )
        case ("POST", "prices"):
            try ShopJSON.encode(
                Quote(lines: ShopJSON.decode([CartLine].self, from: request.body), total: 1_190, tax: 190)
            )
        case ("GET", "products"): try ShopJSON.encode(Product(article: name, price: 119))
        case ("POST", "events"): try ShopJSON.encode(1)
        case ("POST", "orders"): Data()
        default: throw NetworkError.server(request.path, status: 404)
        }
    }
}
