// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation
import Testing

@Suite("The keys of a storage")
struct StorageKeyTests {
    @Test("Two spellings of one character are two keys, in the order of their bytes (PER-01)")
    func spellings() {
        let (composed, decomposed): (StorageKey, StorageKey) = ("\u{E9}", "e\u{301}")
        #expect(composed.name == decomposed.name)
        #expect(composed != decomposed)
        #expect(decomposed < composed)
        #expect(Set([composed, decomposed]).count == 2)
        #expect(!composed.hasPrefix("e") && decomposed.hasPrefix("e"))
    }

    @Test("A storage in memory carries out a transaction, and lists keys by prefix in ascending order (PER-01)")
    func memory() async throws {
        let storage = MemoryStorage(["b/2": Data([1])])
        await storage.transaction([.put("b/10", Data([2])), .put("a", Data([3])), .remove("b/2"), .put("b/1", Data())])
        #expect(await storage.keys(prefix: "b/") == ["b/1", "b/10"])
        #expect(await storage.keys(prefix: "").count == 3)
        #expect(await storage.data("b/2") == nil)
        try await storage.save(["x": 1], "json")
        #expect(try await storage.load([String: Int].self, "json") == ["x": 1])
        try await storage.delete("json")
        #expect(try await storage.load([String: Int].self, "json") == nil)
    }
}
