// SPDX-License-Identifier: Apache-2.0

import Axiom
import Foundation
import Testing

@testable import axiom_demo

@Suite("Storage")
@MainActor
struct StorageTests {
    /// Hands the storage out of the orchestrator that made it.
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
        let orchestrator = Orchestrator()
        let (ledger, path) = (Shop.ledger(), folder.path)
        var made: [CapabilityRef<any Storage>] = []
        orchestrator.register(FileStorage.self, as: (any Storage).self) {
            FileStorage($0, folder: path, ledger: ledger)
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

    @Test("What is written is read back, and a file that is not there is no error")
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

    @Test("A reader finds the old contents or the new ones, and never anything in between")
    func atomic() async throws {
        let folder = try DataFolder(nil)
        let path = folder.path + "/file"
        let contents = [UInt8(1), 2].map { [UInt8](repeating: $0, count: 1_000_000) }
        try AtomicFile.write(contents[0], to: path)
        let reader = Task.detached {
            var seen: Set<[UInt8]> = []
            while !Task.isCancelled { seen.insert(try AtomicFile.read(path) ?? []) }
            return seen
        }
        for round in 1...40 { try AtomicFile.write(contents[round % 2], to: path) }
        reader.cancel()
        #expect(try await reader.value.isSubset(of: contents))
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["file"])
        try folder.remove()
    }

    @Test("A change that cannot be finished leaves what was there, and nothing beside it")
    func failure() async throws {
        let folder = try DataFolder(nil)
        try FileManager.default.createDirectory(atPath: folder.path + "/taken/inner", withIntermediateDirectories: true)
        #expect(throws: AtomicFile.Failure.self) { try AtomicFile.write([1], to: folder.path + "/taken") }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["taken"])
        try await withStorage(folder) { storage in
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

    /// The number of a process that has ended.
    private func deadProcess() throws -> Int32 {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/true")
        try process.run()
        process.waitUntilExit()
        return process.processIdentifier
    }

    /// Leaves a file unfinished as a process that is killed does.
    private func leave(_ name: String, by process: Int32, in folder: DataFolder) throws -> String {
        let name = "\(name).\(process)" + AtomicFile.unfinishedSuffix
        try Data("half".utf8).write(to: URL(fileURLWithPath: folder.path + "/" + name))
        return name
    }

    @Test("What a process that was killed left unfinished is gone after the start; that of a process that runs stays")
    func crash() async throws {
        let folder = try DataFolder(nil)
        _ = try leave("cart.json", by: deadProcess(), in: folder)
        let running = try leave("cart.json", by: 1, in: folder)
        try await withStorage(folder) { _ in }
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [running])
        try folder.remove()
    }

    @Test("The next write of a file removes what a killed process left unfinished of it, and nothing else")
    func nextWrite() throws {
        let (folder, dead) = (try DataFolder(nil), try deadProcess())
        _ = try leave("ledger.json", by: dead, in: folder)
        let others = [
            try leave("ledger.json", by: 1, in: folder), try leave("ledger", by: dead, in: folder),
            try leave("other.json", by: dead, in: folder), "ledger.json.x.unfinished", "ledger.json.-1.unfinished",
        ]
        for name in others.suffix(2) { try Data().write(to: URL(fileURLWithPath: folder.path + "/" + name)) }
        try AtomicFile.write([1], to: folder.path + "/ledger.json")
        let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(left.sorted() == (others + ["ledger.json"]).sorted())
        try folder.remove()
    }
}
