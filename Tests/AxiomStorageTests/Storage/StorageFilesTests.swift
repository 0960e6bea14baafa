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

    @Test("All files are for the user of the process only, also after damage", arguments: StorageKind.onDisk)
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

    @Test("A path has its folder as dirname says, and a name of one character has none")
    func folders() async throws {
        let expected = [
            "d": "", "é": "", "": "", "/": "/", "//": "/", "/d": "/", "d/": "", "d//": "", "a/b": "a", "a//b/": "a",
            "/a/b": "/a", ".": "",
            "./d": ".", "//a": "/",
        ]
        for (path, folder) in expected { #expect(FilePath.folder(of: path) == folder, "\(path)") }
        // Relative to the working folder of the process, so the names are those of this test only.
        let name = "é"
        defer {
            for affix in ["", "-lock", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: name + affix) }
        }
        let files = FileStorage(folder: name)
        try await files.save(1, "number")
        await files.terminate()
        #expect(try await FileStorage(folder: "./\(name)").load(Int.self, "number") == 1)
        try FileManager.default.removeItem(atPath: name)
        let database = SQLiteStorage(path: name)
        try await database.save(2, "number")
        await database.terminate()
    }

    @Test(
        "One flipped byte in any file costs one key or page, is told, and stops no start",
        arguments: StorageKind.onDisk
    )
    func oneByte(kind: StorageKind) async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        let values = (0..<40).map { (StorageKey("orders/\(100 + $0)"), Data(repeating: UInt8($0), count: 50 + $0)) }
        let storage = kind.make(folder)
        try await storage.transaction(values.map { .put($0, $1) })
        await storage.end()
        let prefix = kind == .files ? "storage/" : ""
        let whole = try folder.names(prefix).map { (prefix + $0, try folder.bytes(prefix + $0)) }
        for _ in 0..<TestScale.count(400) {
            for (name, bytes) in whole { try folder.write(bytes, name) }
            let (name, bytes) = whole[generator.index(below: whole.count)]
            guard !bytes.isEmpty else { continue }
            // In a page of SQLite, half of the bytes in the structure of a page. Of its first page, the versions are left out:
            // a database of a newer version is refused.
            var damaged = bytes
            let page = generator.index(below: bytes.count) / 4_096 * 4_096
            let place =
                kind == .sqlite && generator.index(below: 2) == 0
                ? min(bytes.count - 1, page + 100 + generator.index(below: 300)) : generator.index(below: bytes.count)
            guard kind == .files || !(60..<64).contains(place) else { continue }
            damaged[place] ^= 1 << UInt8(generator.index(below: 8))
            try folder.write(damaged, name)
            let next = kind.make(folder)
            let keys = Set(try await next.keys(prefix: ""))
            var (right, told) = (0, await next.setAside != nil)
            for (key, data) in values where keys.contains(key) {
                do {
                    #expect(try await next.data(key) == data, "seed \(seed), \(name) at \(place)")
                    right += 1
                } catch {
                    #expect(ErrorCode(of: error) == .valueDamaged)
                    told = true
                }
            }
            #expect(told || right == values.count, "seed \(seed), \(name) at \(place): \(right) of \(values.count)")
            // A page of SQLite may be lost.
            if kind == .files { #expect(right >= values.count - 1, "seed \(seed), \(name) at \(place)") }
            try await next.save(1, "later")
            await next.end()
            for name in folder.names(prefix) where !whole.contains(where: { $0.0 == prefix + name }) {
                try FileManager.default.removeItem(atPath: "\(folder.path)/\(prefix)\(name)")
            }
        }
    }

    @Test("No flipped bit makes a value or a journal one of a newer version")
    func flippedBits() {
        for (key, data) in [("key", Data([1, 2])), ("", Data()), (".journal", Data("[]".utf8))] {
            let bytes = StoredFile.encode(StorageKey(key), data).bytes
            for bit in 0..<bytes.count * 8 {
                var damaged = bytes
                damaged[bit / 8] ^= 1 << UInt8(bit % 8)
                let flaw = #expect(throws: Flaw.self) { try StoredFile.decode(damaged) }
                if case .newer = flaw { Issue.record("bit \(bit) of \(bytes.count) bytes") }
            }
        }
    }
}
