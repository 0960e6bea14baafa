// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("A storage in files", .timeLimit(.minutes(10)))
struct FileStorageTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    private func storage() -> any KeyValueStorage { StorageKind.files.make(folder) }

    @Test("Every key has a name of its own, that is short, stays in the folder, and leads back to the key (PER-01)")
    func names() throws {
        var generator = SeededGenerator(seed: TestSeed.drawn())
        let scalars: [Unicode.Scalar] = ["a", "A", "/", ".", "~", "%", "\0", "é", "💡", "\u{301}", "\u{FEFF}", "0", "_"]
        var names: [String: StorageKey] = [:]
        for _ in 0..<2_000 {
            let count = generator.index(below: generator.index(below: 4) == 0 ? 200 : 5)
            let text = (0..<count).map { _ in Character(scalars[generator.index(below: scalars.count)]) }
            let key = StorageKey(String(text))
            let name = FileNames.name(key)
            #expect(name.utf8.count < 230)
            #expect(name.utf8.allSatisfy { $0 > 32 && $0 < 127 && $0 != UInt8(ascii: "/") })
            #expect(name.lowercased() == name && name != "." && name != "..")
            let isShort = FileNames.encoded(key).utf8.count <= 180
            #expect(FileNames.meaning(name) == (isShort ? .key(key) : .long))
            #expect(names.updateValue(key, forKey: name) ?? key == key)
        }
        for foreign in [
            "notes.txt", "A.value", "a b.value", "%zz.value", "%2.value", "x~.value", "x~0123456789abcdef.value",
            String(repeating: "x", count: 150) + "~0123456789abcdeF.value", "%61.value",
            String(repeating: "/", count: 150) + "~0123456789abcdef.value",
        ] {
            #expect(FileNames.meaning(foreign) == .none, "\(foreign)")
        }
        #expect(FileNames.name("orders/17") == "orders%2f17.value")
    }

    @Test("Any flipped bit of a value's file is an error that names the file, never another value (PER-02)")
    func damaged() async throws {
        var storage = storage()
        let data = Data("some value".utf8)
        try await storage.transaction([.put("key", data), .put("whole", data)])
        await storage.end()
        let bytes = try folder.bytes("storage/key.value")
        for bit in 0..<bytes.count * 8 {
            var damaged = bytes
            damaged[bit / 8] ^= 1 << UInt8(bit % 8)
            try folder.write(damaged, "storage/key.value")
            storage = self.storage()
            let error = await storageError { _ = try await storage.data("key") }
            #expect(error?.code == .valueDamaged, "bit \(bit)")
            #expect(error?.message.contains("\(folder.path)/storage/key.value") == true)
            await storage.end()
        }
        for count in 0..<bytes.count {
            try folder.write(Array(bytes.prefix(count)), "storage/key.value")
            storage = self.storage()
            #expect(await storageError { _ = try await storage.data("key") }?.code == .valueDamaged, "\(count) bytes")
            #expect(try await storage.data("whole") == data)
            await storage.end()
        }
        storage = self.storage()
        try await storage.transaction([.put("key", data)])
        #expect(try await storage.data("key") == data)
        await storage.end()
    }

    @Test("The file of another key, a missing file and a file of a newer version are errors (PER-02, PER-05)")
    func foreignFiles() async throws {
        var storage = storage()
        try await storage.transaction([.put("a", Data([1])), .put("b", Data([2])), .put("c", Data([3]))])
        await storage.end()
        try folder.write(try folder.bytes("storage/a.value"), "storage/b.value")
        try folder.write(Array("axiom-value 2 whatever".utf8), "storage/c.value")
        storage = self.storage()
        #expect(await storageError { _ = try await storage.data("b") }?.message.contains("another key") == true)
        let newer = await storageError { _ = try await storage.data("c") }
        #expect(
            newer?.code == .storageNewer && newer?.message.contains("the format 2, and this version knows 1") == true
        )
        try FileManager.default.removeItem(atPath: "\(folder.path)/storage/a.value")
        #expect(await storageError { _ = try await storage.data("a") }?.message.contains("its file is gone") == true)
        await storage.end()
    }

    private let long = StorageKey(String(repeating: "long/", count: 100))

    @Test("A damaged file of a long key costs this key only, and can be replaced (PER-02)")
    func damagedLongKey() async throws {
        let other = StorageKey("\(long)x")
        var storage = storage()
        try await storage.transaction([.put(long, Data([1])), .put(other, Data([2])), .put("short", Data([2]))])
        await storage.end()
        try folder.write(Array("rubbish".utf8), "storage/\(FileNames.name(long))")
        storage = self.storage()
        #expect(try await storage.keys(prefix: "") == [other, "short"])
        let error = await storageError { _ = try await storage.data(long) }
        #expect(error?.code == .valueDamaged && error?.message.contains(FileNames.name(long)) == true)
        #expect(try await storage.data(other) == Data([2]))
        try await storage.transaction([.put(long, Data([3]))])
        await storage.end()
        storage = self.storage()
        #expect(try await storage.data(long) == Data([3]))
        #expect(try await storage.keys(prefix: "long/") == [long, other])
        await storage.end()
    }

    @Test("A key that is longer than what is read of a file at first is found")
    func veryLongKey() async throws {
        let key = StorageKey(String(repeating: "Long", count: 20_000))
        var storage = storage()
        try await storage.transaction([.put(key, Data([1]))])
        await storage.end()
        storage = self.storage()
        #expect(try await storage.keys(prefix: "") == [key])
        #expect(try await storage.data(key) == Data([1]))
        await storage.end()
    }

    @Test("The value of another long key with the same name is neither given, replaced nor removed")
    func equalNames() async throws {
        let (key, other) = (StorageKey("\(long)pgh6t5imaokpj"), StorageKey("\(long)kbvxu546kdzfc"))
        #expect(FileNames.name(key) == FileNames.name(other))
        let storage = storage()
        try await storage.transaction([.put(key, Data([1]))])
        #expect(try await storage.data(other) == nil)
        for change: StorageChange in [.put(other, Data([3])), .remove(other)] {
            let error = await storageError { try await storage.transaction([change]) }
            #expect(error?.message.contains("another key with the same checksum") == true)
        }
        #expect(await storageError { try await storage.moveAside(other, to: "x") } != nil)
        #expect(try await storage.keys(prefix: "") == [key])
        #expect(try await storage.data(key) == Data([1]))
        try await storage.delete(key)
        for change: StorageChange in [.put(other, Data([3])), .put("x", Data([3]))] {
            let error = await storageError { try await storage.transaction([.put(key, Data([1])), change]) }
            #expect((error?.message.contains("the same checksum") == true) == (change.key == other))
        }
        #expect(try await storage.keys(prefix: "") == [key, "x"])
        await storage.end()
    }

    @Test("What was renamed to that of a long key is not replaced by the next one", arguments: [false, true])
    func longAside(isReadable: Bool) async throws {
        let path = "\(folder.path)/storage"
        for number in 1...2 {
            let storage = storage()
            try await storage.transaction([.put("a", Data([UInt8(number)]))])
            if number == 1 || !isReadable { try Unreadable.disk.replace("\(path)/a.value") }
            let error = await storageError { try await storage.moveAside("a", to: long) }
            #expect((error == nil) == (number == 1) && error?.message.contains(FileNames.name(long)) != false)
            let kept = try FileManager.default.destinationOfSymbolicLink(atPath: "\(path)/\(FileNames.name(long))")
            #expect(kept == "/proc/self/mem")
            #expect(try await storage.keys(prefix: "a") == (number == 1 ? [] : ["a"]))
            await storage.end()
        }
        let storage = storage()
        try await storage.delete(long)
        try await storage.moveAside("a", to: long)
        #expect(folder.names("storage") == [".lock", FileNames.name(long)])
        await storage.end()
    }

    @Test("A file of a long key that cannot be read is not a damaged one", arguments: [Unreadable.folder, .linkLoop])
    func unreadableLongKey(_ kind: Unreadable) async throws {
        var storage = storage()
        try await storage.transaction([.put(long, Data([1]))])
        await storage.end()
        try kind.replace("\(folder.path)/storage/\(FileNames.name(long))")
        storage = self.storage()
        #expect(try await storage.keys(prefix: "").isEmpty)
        let error = await storageError { _ = try await storage.data(long) }
        #expect(error?.code == .valueUnreadable, "\(String(describing: error))")
        #expect(error?.message.contains(kind.text) == true)
        await storage.end()
    }

    @Test("After a restart, an error names what has replaced the file of a value, and a folder there is not replaced")
    func replacedValues() async throws {
        var storage = storage()
        try await storage.transaction([.put("a", Data([1])), .put("b", Data([2])), .put("c", Data([3]))])
        await storage.end()
        try Unreadable.folder.replace("\(folder.path)/storage/a.value")
        try Unreadable.linkLoop.replace("\(folder.path)/storage/b.value")
        storage = self.storage()
        #expect(try await storage.keys(prefix: "") == ["a", "b", "c"])
        for key: StorageKey in ["a", "b"] {
            #expect(await storageError { _ = try await storage.data(key) }?.code == .valueUnreadable, "\(key)")
        }
        for change: StorageChange in [.put("a", Data([4])), .remove("a")] {
            let error = await storageError { try await storage.transaction([change, .put("c", Data([4]))]) }
            #expect(error?.code == .storageFailed && error?.message.contains("a folder is in the place") == true)
        }
        try await storage.transaction([.put("b", Data([5]))])
        let values = [try await storage.data("b"), try await storage.data("c")]
        #expect(values == [Data([5]), Data([3])])
        await storage.end()
    }

    // MARK: Transactions

    /// A folder in which a transaction of three keys is decided and carried out up to a step.
    private func interrupted(after steps: Int) async throws {
        let storage = storage()
        try await storage.transaction([.put("a", Data([1])), .put("b", Data([1])), .put("c", Data([1]))])
        await storage.end()
        let journal = ["a", "b"].map { name in
            let (bytes, checksum) = StoredFile.encode(StorageKey(name), Data([2]))
            return (name: "\(name).value", bytes: bytes, step: FileStep(name: "\(name).value", checksum: checksum))
        }
        for (index, file) in journal.enumerated() {
            try folder.write(file.bytes, index < steps ? "storage/\(file.name)" : "storage/.\(file.name).unfinished")
        }
        if steps > 2 { try FileManager.default.removeItem(atPath: "\(folder.path)/storage/c.value") }
        let steps = journal.map(\.step) + [FileStep(name: "c.value", checksum: nil)]
        try folder.write(Self.journal(try JSONEncoder().encode(steps)), "storage/.journal")
    }

    private static func journal(_ contents: Data) -> [UInt8] { StoredFile.encode(".journal", contents).bytes }

    @Test("A transaction that was decided is completed by the next process, from any step (PER-02)", arguments: 0...3)
    func completed(steps: Int) async throws {
        try await interrupted(after: steps)
        let storage = storage()
        #expect(try await storage.data("a") == Data([2]))
        #expect(try await storage.data("b") == Data([2]))
        #expect(try await storage.keys(prefix: "") == ["a", "b"])
        #expect(folder.names("storage") == [".lock", "a.value", "b.value"])
        #expect(await storage.setAside == nil)
        await storage.end()
    }

    @Test("A transaction that was not decided leaves nothing (PER-02)")
    func undecided() async throws {
        try await interrupted(after: 0)
        let names = folder.names("storage")
        try FileManager.default.moveItem(
            atPath: "\(folder.path)/storage/.journal",
            toPath: "\(folder.path)/storage/..journal.unfinished"
        )
        try folder.write([1], "storage/.notes.unfinished")
        let storage = storage()
        #expect(try await storage.data("a") == Data([1]))
        #expect(try await storage.keys(prefix: "") == ["a", "b", "c"])
        #expect(names.count == 7)
        #expect(folder.names("storage") == [".lock", ".notes.unfinished", "a.value", "b.value", "c.value"])
        await storage.end()
    }

    @Test("A damaged journal is set aside with its values, and reported; a newer one is refused (PER-02, PER-05)")
    func damagedJournal() async throws {
        try await interrupted(after: 0)
        let bytes = try folder.bytes("storage/.journal")
        var damaged = bytes
        damaged[damaged.count - 3] ^= 1
        try folder.write(damaged, "storage/.journal")
        let reported = Lock<[StorageError]>([])
        var options = StorageOptions.quiet
        options.onSetAside = { error in reported.withLock { $0.append(error) } }
        let storage = StorageKind.files.make(folder, options)
        #expect(try await storage.data("a") == Data([1]))
        let error = try #require(await storage.setAside)
        #expect(reported.withLock { $0.map(\.message) } == [error.message])
        #expect(error.code == .storageSetAside && error.message.contains("its checksum is wrong"))
        let target = try #require(folder.names("storage").first { $0.hasPrefix("journal.damaged-") })
        #expect(error.message.contains("/\(target). "))
        #expect(folder.names("storage/\(target)") == [".a.value.unfinished", ".b.value.unfinished", "journal"])
        await storage.end()
        try folder.write(Array("axiom-value 2 x\n".utf8), "storage/.journal")
        let newer = self.storage()
        #expect(await storageError { _ = try await newer.data("a") }?.code == .storageNewer)
    }

    @Test("A journal whose values are gone is set aside (PER-02)")
    func journalWithoutValues() async throws {
        try await interrupted(after: 0)
        try FileManager.default.removeItem(atPath: "\(folder.path)/storage/.b.value.unfinished")
        let storage = storage()
        #expect(try await storage.data("a") == Data([1]))
        #expect(await storage.setAside?.message.contains("the new contents of b.value are not there") == true)
        await storage.end()
    }

    @Test("A file that was cut behind its first line is damaged, also one of an empty value under an empty key")
    func cutValue() throws {
        let whole = StoredFile.encode("", Data()).bytes
        #expect(try StoredFile.decode(whole).key == "")
        #expect(throws: Flaw.damaged("its checksum is wrong")) { try StoredFile.decode(Array(whole.dropLast())) }
    }

    @Test("A journal cannot name files outside of the folder (PER-02)")
    func journalPaths() throws {
        for name in ["../x.value", "x", "", "../\u{301}x~1.value", "a\0.value", "A.value", "a.value/.."] {
            let journal = Self.journal(try JSONEncoder().encode([FileStep(name: name, checksum: nil)]))
            #expect(throws: Flaw.damaged("it has an unknown step"), "\(name)") { try FileFolder.steps(journal) }
        }
        for contents in ["", "{}", "[1]"] {
            #expect(throws: Flaw.self) { try FileFolder.steps(Self.journal(Data(contents.utf8))) }
        }
    }

    @Test("A folder whose parent is a file is an error that names it (PER-01)")
    func impossibleFolder() async throws {
        try folder.write([], "file")
        let storage = FileStorage(folder: "\(folder.path)/file/storage", options: .quiet)
        let error = await storageError { try await storage.save(1, "a") }
        #expect(error?.code == .storageFailed && error?.message.contains("\(folder.path)/file/storage") == true)
        #expect(await storage.isAvailable == false)
    }

    @Test("The end of a storage releases its folder, also while a child process is being started (PER-01)")
    func released() async throws {
        let storage = storage()
        try await storage.save(1, "a")
        // As a child has it between fork and exec.
        let lock = try #require(Self.descriptors().first { $0.path == "\(folder.path)/storage/.lock" })
        let copy = dup(lock.number)
        defer { close(copy) }
        await storage.end()
        let next = StorageKind.files.make(folder, .impatient)
        #expect(try await next.load(Int.self, "a") == 1)
        await next.end()
    }

    private static func descriptors() -> [(number: Int32, path: String)] {
        let files = FileManager.default
        let names = (try? files.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return names.compactMap { name in
            guard let path = try? files.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(name)") else { return nil }
            return Int32(name).map { ($0, path) }
        }
    }
}
