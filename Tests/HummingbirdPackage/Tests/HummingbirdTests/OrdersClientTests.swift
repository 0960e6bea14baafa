// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomStorage
import Foundation
import Testing

@testable import OrdersService

actor TestStorage: Capability, KeyValueStorage {
    nonisolated let identity: ComponentIdentity
    private let memory: MemoryStorage

    init(_ scope: borrowing CapabilityScope, _ memory: MemoryStorage) {
        (identity, self.memory) = (scope.identity, memory)
    }

    nonisolated func data(_ key: StorageKey) async throws -> Data? { await memory.data(key) }
    nonisolated func keys(prefix: String) async throws -> [StorageKey] { await memory.keys(prefix: prefix) }
    nonisolated func transaction(_ changes: [StorageChange]) async throws { await memory.transaction(changes) }
}

actor OnePrice: Capability, PriceList {
    nonisolated let identity: ComponentIdentity

    init(_ scope: borrowing CapabilityScope) { identity = scope.identity }

    func price(of item: String) -> Int { 36 }
}

/// The application of a test. What it stores is in `memory`.
@MainActor
func startOrders(_ memory: MemoryStorage) async throws -> (Orchestrator, Endpoint<OrdersHandler>) {
    let orchestrator = Orchestrator()
    orchestrator.register(TestStorage.self, as: (any KeyValueStorage).self) { TestStorage($0, memory) }
    orchestrator.register(OnePrice.self, as: (any PriceList).self) { OnePrice($0) }
    let prices: Cache<String, Int> = try orchestrator.cache("prices")
    orchestrator.register(OrdersClient.self) { try OrdersClient($0, prices: prices) }
    let orders = orchestrator.register(OrdersHandler.self) { try OrdersHandler($0) }
    orchestrator.values[.dozens] = true
    try await orchestrator.start()
    return (orchestrator, orders)
}

@Test("With the flag an order is of a dozen, and the next run goes on with its number")
func dozens() async throws {
    let memory = MemoryStorage()
    for number in 1...2 {
        let (orchestrator, orders) = try await startOrders(memory)
        let placed = try await orders.request(.place("tea"))
        #expect(placed == [Order(number: number, item: "tea", pieces: 12, cents: 432)])
        await orchestrator.shutdown()
    }
}

@Test("Documentation/service.md shows all files of the program, and the test before this one")
func isDocumented() throws {
    let folder = URL(filePath: #filePath).deletingLastPathComponent()
    func text(_ path: String) throws -> String {
        try String(contentsOf: folder.appending(path: path).standardizedFileURL, encoding: .utf8)
    }
    let sources = "../../Sources/OrdersService"
    let names = try FileManager.default.contentsOfDirectory(
        atPath: folder.appending(path: sources).standardizedFileURL.path
    )
    var expected = try names.map {
        try text("\(sources)/\($0)").replacing("// SPDX-License-Identifier: Apache-2.0\n\n", with: "")
    }
    let test = try text("OrdersClientTests.swift").split(separator: "import OrdersService\n\n", maxSplits: 1)[1]
    expected.append(try #require(test.components(separatedBy: "\n@Test(\"Documentation").first))
    let page = try text("../../../../Documentation/service.md")
    let shown = page.matches(of: #/(?s)```swift\n(.*?)```/#).map { String($0.1) }
    #expect(Set(shown) == Set(expected) && names.count == 5)
}
