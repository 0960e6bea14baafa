// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTestSupport
import Foundation
import Testing

@Suite("The contract of every storage", .timeLimit(.minutes(30)))
struct StorageConformanceTests {
    /// Keys that a file system, SQL or Unicode could confuse.
    private static let keys: [StorageKey] = [
        "", "a", "A", "b", "\u{E9}", "e\u{301}", "orders/1", "orders/17", "../up", ".", "%2e", "a b\n", "\0", "💡",
        "~1", "x'; DROP TABLE entries; --", StorageKey(String(repeating: "long/", count: 100) + "1"),
        StorageKey(String(repeating: "long/", count: 100) + "2"), StorageKey(String(repeating: "ü", count: 300)),
    ]

    @Test("Random histories with reopening match a dictionary (PER-01)", arguments: StorageKind.allCases)
    func histories(kind: StorageKind) async throws {
        var generator = SeededGenerator(seed: TestSeed.drawn(for: "histories of \(kind)"))
        for _ in 0..<TestScale.count(kind == .memory ? 2_000 : 400) {
            try await history(kind, &generator)
        }
    }

    private func history(_ kind: StorageKind, _ generator: inout SeededGenerator) async throws {
        let folder = try StorageFolder()
        var storage = kind.make(folder)
        var model: [StorageKey: Data] = [:]
        for _ in 0..<25 {
            switch generator.index(below: 10) {
            case 0: storage = await kind.reopen(storage, folder)
            case 1...5:
                let changes = Self.changes(&generator)
                try await storage.transaction(changes)
                for change in changes {
                    switch change {
                    case .put(let key, let data): model[key] = data
                    case .remove(let key): model[key] = nil
                    }
                }
            default: try await check(storage, model, Self.keys[generator.index(below: Self.keys.count)])
            }
        }
        storage = await kind.reopen(storage, folder)
        for key in Self.keys { try await check(storage, model, key) }
        await storage.end()
    }

    private static func changes(_ generator: inout SeededGenerator) -> [StorageChange] {
        (0..<generator.index(below: 6)).map { _ in
            let key = keys[generator.index(below: keys.count)]
            guard generator.index(below: 3) > 0 else { return .remove(key) }
            let byte = UInt8(truncatingIfNeeded: generator.index(below: 256))
            return .put(key, Data(repeating: byte, count: generator.index(below: 4) * generator.index(below: 3_000)))
        }
    }

    private func check(_ storage: any KeyValueStorage, _ model: [StorageKey: Data], _ key: StorageKey) async throws {
        #expect(try await storage.data(key) == model[key], "\(key.name.debugDescription)")
        let prefix = String(String.UnicodeScalarView(key.name.unicodeScalars.prefix(2)))
        for prefix in ["", prefix] {
            let expected = model.keys.filter { $0.hasPrefix(prefix) }.sorted()
            #expect(try await storage.keys(prefix: prefix) == expected, "\(prefix.debugDescription)")
        }
    }

    @Test("Values of any type are stored as JSON, loaded and deleted (PER-01)", arguments: StorageKind.allCases)
    func values(kind: StorageKind) async throws {
        struct Cart: Codable, Equatable { var items: [String] }
        let folder = try StorageFolder()
        let storage = kind.make(folder)
        #expect(try await storage.load(Cart.self, "cart") == nil)
        try await storage.save(Cart(items: ["book"]), "cart")
        let reopened = await kind.reopen(storage, folder)
        #expect(try await reopened.load(Cart.self, "cart") == Cart(items: ["book"]))
        await #expect(throws: DecodingError.self) { try await reopened.load(Int.self, "cart") }
        try await reopened.delete("cart")
        try await reopened.delete("cart")
        #expect(try await reopened.keys(prefix: "") == [])
    }

    @Test("Transactions from many tasks all happen, each as a whole (PER-02)", arguments: StorageKind.allCases)
    func concurrent(kind: StorageKind) async throws {
        let folder = try StorageFolder()
        let storage = kind.make(folder)
        try await withThrowingTaskGroup { group in
            for index in 0..<40 {
                group.addTask {
                    let data = Data("\(index)".utf8)
                    try await storage.transaction([
                        .put("left", data), .put("right", data), .put(StorageKey("\(index)"), data),
                    ])
                }
            }
            try await group.waitForAll()
        }
        #expect(try await storage.data("left") == storage.data("right"))
        #expect(try await storage.keys(prefix: "").count == 42)
        await storage.end()
    }

    @Test(
        "Values and storages that are too large are refused, and nothing changes (CAP-24)",
        arguments: StorageKind.onDisk
    )
    func limits(kind: StorageKind) async throws {
        let folder = try StorageFolder()
        var options = StorageOptions.quiet
        (options.maximumValueBytes, options.maximumBytes) = (50_000, 200_000)
        let storage = kind.make(folder, options)
        try await storage.save("old", "name")
        let large = await storageError {
            try await storage.transaction([.remove("name"), .put("1234", Data(count: 49_997))])
        }
        #expect(large?.code == .valueTooLarge)
        try await storage.transaction([.put("1234", Data(count: 49_996))])
        let many = (0..<5).map { StorageChange.put(StorageKey("\($0)"), Data(count: 40_000)) }
        let full = await storageError { try await storage.transaction([.remove("name")] + many) }
        #expect(full?.code == .storageLimitReached)
        for error in [large, full] {
            #expect(error?.message.contains(kind.path(folder)) == true && error?.message.contains("000 ") == true)
        }
        #expect(try await storage.load(String.self, "name") == "old")
        #expect(try await storage.keys(prefix: "") == ["1234", "name"])
        try await storage.transaction([.remove("1234"), many[0], many[1], many[2]])
        #expect(try await storage.data("2") == Data(count: 40_000))
        await storage.end()
    }

    @Test(
        "Limits without sense make a storage that refuses or accepts, and never trap (PER-01)",
        arguments: StorageKind.onDisk
    )
    func extremeLimits(kind: StorageKind) async throws {
        for (limit, timeout) in [(Int.max, Duration.seconds(Int64.max)), (Int.min, .seconds(-1)), (0, .zero)] {
            let folder = try StorageFolder()
            let options = StorageOptions(maximumValueBytes: limit, maximumBytes: limit, lockTimeout: timeout)
            let storage = kind.make(folder, options)
            let error = await storageError { try await storage.save(1, "a") }
            #expect((error == nil) == (limit == .max), "\(limit): \(error?.message ?? "stored")")
            await storage.end()
        }
    }

    @Test("After its end a storage throws an error that says so (PER-01)", arguments: StorageKind.onDisk)
    func ended(kind: StorageKind) async throws {
        let folder = try StorageFolder()
        let storage = kind.make(folder)
        try await storage.save(1, "a")
        await storage.end()
        await storage.end()
        #expect(await storageError { try await storage.save(2, "a") }?.code == .storageClosed)
        #expect(await storageError { _ = try await storage.data("a") }?.code == .storageClosed)
        #expect(await storageError { _ = try await storage.keys(prefix: "") }?.code == .storageClosed)
    }
}
