// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation
import Testing

@testable import axiom_demo

@Suite("Storage")
@MainActor
struct StorageTests {
    /// Gives the test access to the storage that the orchestrator created.
    private actor Customer: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let storage: CapabilityRef<any Storage>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            storage = try scope.capability((any Storage).self)
        }

        func process(_ action: NoAction) async throws {}
    }

    private func withStorage(
        _ folder: DataFolder,
        _ body: (any Storage) async throws -> Void
    ) async throws {
        let orchestrator = Orchestrator(limits: .endless)
        let path = folder.path
        var made: [CapabilityRef<any Storage>] = []
        orchestrator.register(FileStorage.self, as: (any Storage).self) {
            FileStorage($0, folder: path)
        }
        let (handedOut, hand) = AsyncStream.makeStream(of: CapabilityRef<any Storage>.self)
        orchestrator.register(Customer.self) { scope in
            let customer = try Customer(scope)
            hand.yield(customer.storage)
            return customer
        }
        try await orchestrator.start()
        hand.finish()
        for await storage in handedOut { made.append(storage) }
        try await body(try #require(made.first).current())
        await orchestrator.shutdown()
    }

    @Test("A written file is read back, and a missing file is no error")
    func roundTrip() async throws {
        let folder = try DataFolder(nil)
        try await withStorage(folder) { storage in
            #expect(try await storage.read("cart.json") == nil)
            try await storage.update("cart.json") { _ in Array("tea".utf8) }
            #expect(try await storage.read("cart.json") == Array("tea".utf8))
            try await storage.update("cart.json") { _ in nil }
            #expect(try await storage.read("cart.json") == Array("tea".utf8))
        }
        try folder.remove()
        #expect(!FileManager.default.fileExists(atPath: folder.path))
    }

    @Test("Changes of one file follow each other, and none is lost")
    func serial() async throws {
        let folder = try DataFolder(nil)
        try await withStorage(folder) { storage in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        try await storage.update("count") { [UInt8](repeating: 1, count: ($0?.count ?? 0) + 1) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await storage.read("count")?.count == 50)
        }
        try folder.remove()
    }

    @Test("A reader sees the old contents or the new ones, and nothing in between")
    func atomic() async throws {
        let folder = try DataFolder(nil)
        let contents = [UInt8(1), 2].map { [UInt8](repeating: $0, count: 1_000_000) }
        try await withStorage(folder) { storage in
            try await storage.update("file") { _ in contents[0] }
            // As another process would: without the queue of the storage.
            let reader = Task.detached {
                var seen: Set<Data> = []
                while !Task.isCancelled {
                    seen.insert(try Data(contentsOf: URL(fileURLWithPath: folder.path + "/file")))
                }
                return seen
            }
            for round in 1...40 { try await storage.update("file") { _ in contents[round % 2] } }
            reader.cancel()
            #expect(try await reader.value.isSubset(of: contents.map { Data($0) }))
        }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        try folder.remove()
    }

    @Test("A change that fails leaves the old contents, and no other file")
    func failure() async throws {
        let folder = try DataFolder(nil)
        try FileManager.default.createDirectory(atPath: folder.path + "/taken/inner", withIntermediateDirectories: true)
        try await withStorage(folder) { storage in
            await #expect(throws: StorageError.self) { try await storage.update("taken") { _ in [1] } }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken"])
            try await storage.update("kept") { _ in [1] }
            await #expect(throws: CancellationError.self) {
                try await storage.update("kept") { _ in throw CancellationError() }
            }
            #expect(try await storage.read("kept") == [1])
        }
        try folder.remove()
    }

    @Test(
        "A name that leads out of the folder is refused",
        arguments: ["", ".", "..", "../x", "a/b", ".hidden", "a\0b", "ä"]
    )
    func names(_ name: String) async throws {
        let folder = try DataFolder(nil)
        try await withStorage(folder) { storage in
            await #expect(throws: StorageError.self) { try await storage.read(name) }
            await #expect(throws: StorageError.self) { try await storage.update(name) { _ in [] } }
        }
        try folder.remove()
    }
}
