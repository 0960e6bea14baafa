// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("The documentation of persistent states", .timeLimit(.minutes(10)))
@MainActor
struct StoreDocumentationTests {
    private func text(_ path: String) throws -> String {
        try String(contentsOf: Repository.root.appending(path: path), encoding: .utf8)
    }

    @Test("The example of the documentation is the one that is compiled here (PER-03)")
    func example() throws {
        let page = try text("Documentation/persistent-state.md").split(separator: "```swift\n")
        let example = try #require(page.dropFirst().first?.split(separator: "```").first)
        #expect(try text("Tests/AxiomStorageTests/Store/StoreDocumentationExample.swift").hasSuffix(example))
    }

    @Test("The client of the example migrates its cart and keeps it (PER-03, PER-05)")
    func run() async throws {
        let world = StoreWorld(["cart": StoreWorld.bytes(1, #"{"items":["tea","tea","cup"]}"#)])
        world.orchestrator.register(FaultyCapability.self, as: (any KeyValueStorage).self) {
            [storage = world.storage] in FaultyCapability($0, storage)
        }
        world.orchestrator.register(CartClient.self) { try CartClient($0) }
        try await world.orchestrator.start()
        await world.orchestrator.shutdown()
        let stored = world.storage.memory.contents["cart"]
        #expect(stored == StoreWorld.bytes(2, #"{"lines":{"cup":1,"tea":2}}"#))
    }
}
