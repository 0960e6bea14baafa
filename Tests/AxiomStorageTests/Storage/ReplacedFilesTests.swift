// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("A storage whose files are removed, renamed or replaced", .timeLimit(.minutes(10)))
struct ReplacedFilesTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    @Test("A change after the files of a database, or its log alone, were removed is in files that the next one finds")
    func removed() async throws {
        for affixes in [["", "-wal", "-shm"], ["-wal"]] {
            let storage = StorageKind.sqlite.make(folder)
            try await storage.save(1, "number")
            for affix in affixes { try FileManager.default.removeItem(atPath: "\(folder.path)/storage.db\(affix)") }
            try await storage.save(2, "number")
            await storage.end()
            let next = StorageKind.sqlite.make(folder)
            #expect(try await next.load(Int.self, "number") == 2)
            await next.end()
        }
    }

    @Test("After a folder was renamed or replaced, the next operation is one on what is there now")
    func replaced() async throws {
        let files = StorageKind.files.make(folder)
        try await files.save(1, "number")
        let path = "\(folder.path)/storage"
        for isReplaced in [true, false] {
            try FileManager.default.moveItem(atPath: path, toPath: "\(folder.path)/old-\(isReplaced)")
            if isReplaced { try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: false) }
            #expect(try await files.load(Int.self, "number") == nil)
            try await files.save(2, "number")
        }
        await files.end()
        let next = StorageKind.files.make(folder)
        #expect(try await next.load(Int.self, "number") == 2)
        await next.end()
    }

    @Test("Nothing is written into the folder of another storage that took the place of a renamed one")
    func foreignFolder() async throws {
        let first = StorageKind.files.make(folder, .impatient)
        try await first.save(1, "number")
        try FileManager.default.moveItem(atPath: "\(folder.path)/storage", toPath: "\(folder.path)/old")
        let second = StorageKind.files.make(folder, .impatient)
        try await second.save(2, "number")
        #expect(await storageError { try await first.save(3, "number") }?.code == .storageLocked)
        await second.end()
        #expect(try folder.bytes("storage/number.value").last == UInt8(ascii: "2"))
        #expect(try await first.load(Int.self, "number") == 2)
        await first.end()
    }

    @Test(
        "A path that may not be looked at does not replace the files: the error says so, and the lock is kept",
        .enabled(if: ExternalTool.unprivilegedUser.mayRun, "\(ExternalTool.unprivilegedUser.installation)")
    )
    func noPermission() async throws {
        await #expect(processExitsWith: .success) { [folder = folder.path as String] in
            // The superuser may look at every path.
            try #require(chmod(folder, 0o777) == 0 && (geteuid() != 0 || seteuid(65_534) == 0))
            let path = "\(folder)/open"
            let files = FileStorage(folder: "\(path)/storage")
            let database = SQLiteStorage(path: "\(path)/storage.db")
            for storage: any KeyValueStorage in [files, database] { try await storage.save(1, "number") }
            try #require(chmod(path, 0o000) == 0)
            #expect(await storageError { try await files.save(2, "number") }?.code == .storageReadOnly)
            try await database.save(2, "number")
            try #require(chmod(path, 0o700) == 0)
            let second = FileStorage(folder: "\(path)/storage", options: .impatient)
            #expect(await storageError { try await second.save(3, "number") }?.code == .storageLocked)
            try await files.save(4, "number")
            await files.terminate()
            await database.terminate()
        }
    }
}
