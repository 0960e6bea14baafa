// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("The files of a storage", .timeLimit(.minutes(10)))
struct StorageFilesTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private func permissions(_ name: String) throws -> Int {
        let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
        return (attributes[.posixPermissions] as? NSNumber)?.intValue ?? -1
    }

    @Test("All files are for the user of the process only, also after damage (X13)", arguments: StorageKind.onDisk)
    func permissions(kind: StorageKind) async throws {
        for isDamaged in [false, true] {
            if isDamaged, kind == .sqlite { try folder.write([UInt8](repeating: 7, count: 5_000), "storage.db") }
            let storage = kind.make(folder)
            try await storage.save(1, "number")
            let prefix = kind == .files ? "storage/" : ""
            let names = folder.names(prefix).filter { !$0.contains(".damaged-") }
            #expect(names.count == (kind == .files ? 2 : 4), "\(names)")
            for name in names { #expect(try permissions(prefix + name) == 0o600, "\(name)") }
            await storage.end()
        }
        if kind == .files { #expect(try permissions("storage") == 0o700) }
    }

    @Test("A change is not durable in files that were removed: it throws, and the next one is stored (X14)")
    func removed() async throws {
        let storage = StorageKind.sqlite.make(folder)
        try await storage.save(1, "number")
        for affix in ["", "-wal", "-shm"] {
            try? FileManager.default.removeItem(atPath: "\(folder.path)/storage.db\(affix)")
        }
        let error = await storageError { try await storage.save(2, "number") }
        #expect(error?.code == .storageFailed && error?.message.contains("\(folder.path)/storage.db") == true)
        #expect(error?.message.contains("were removed or replaced") == true)
        try await storage.save(3, "number")
        await storage.end()
        let next = StorageKind.sqlite.make(folder)
        #expect(try await next.load(Int.self, "number") == 3)
        await next.end()
    }

    @Test("The log of a database that was removed, and a folder that was replaced, are noticed too (X14)")
    func replaced() async throws {
        let database = StorageKind.sqlite.make(folder)
        try await database.save(1, "number")
        try FileManager.default.removeItem(atPath: "\(folder.path)/storage.db-wal")
        #expect(await storageError { try await database.save(2, "number") }?.code == .storageFailed)
        await database.end()
        let files = StorageKind.files.make(folder)
        try await files.save(1, "number")
        try FileManager.default.removeItem(atPath: "\(folder.path)/storage")
        try FileManager.default.createDirectory(atPath: "\(folder.path)/storage", withIntermediateDirectories: false)
        #expect(await storageError { try await files.save(2, "number") }?.code == .storageFailed)
        try await files.save(3, "number")
        await files.end()
        let next = StorageKind.files.make(folder)
        #expect(try await next.load(Int.self, "number") == 3)
        await next.end()
    }

    @Test("No flipped bit makes a value or a journal one of a newer version (X2)")
    func flippedBits() {
        let journal = FileJournal.encode([.put(name: "a.value", checksum: 0x1234_5678), .remove(name: "b.value")])
        for (bytes, decode) in [
            (ValueFile.encode("key", Data([1, 2])).bytes, { _ = try ValueFile.decode($0) }),
            (ValueFile.encode("", Data()).bytes, { _ = try ValueFile.decode($0) }),
            (journal, { _ = try FileJournal.decode($0) }),
        ] as [([UInt8], ([UInt8]) throws -> Void)] {
            for bit in 0..<bytes.count * 8 {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                let flaw = #expect(throws: Flaw.self) { try decode(damaged) }
                if case .newer = flaw { Issue.record("bit \(bit) of \(bytes.count) bytes") }
            }
        }
    }
}
