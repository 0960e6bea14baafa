// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("A storage in SQLite", .timeLimit(.minutes(10)))
struct SQLiteStorageTests {
    private let folder: StorageFolder
    private var path: String { StorageKind.sqlite.path(folder) }

    init() throws { folder = try StorageFolder() }

    private func storage() -> SQLiteStorage { SQLiteStorage(path: path, options: .impatient) }

    private func connect() throws -> SQLiteConnection { try SQLiteConnection(path, milliseconds: 0) }

    @Test("A change is flushed before it returns: the log of SQLite, with synchronous=FULL (PER-02)")
    func settings() throws {
        let opened = try SQLiteOpening(path: path, options: .impatient, schema: .current).open { _ in }
        #expect(try opened.connection.text("PRAGMA journal_mode") == "wal")
        #expect(try opened.connection.integer("PRAGMA synchronous") == 2)
        #expect(try opened.connection.integer("PRAGMA busy_timeout") == 20)
        #expect(try opened.connection.integer("PRAGMA user_version") == SQLiteSchema.current.version)
        #expect(try opened.connection.integer("PRAGMA auto_vacuum") == 2)
        opened.connection.close()
    }

    @Test("Flipped bytes are found: at the start, or when the value is read; never another value (PER-02)")
    func damaged() async throws {
        let storage = storage()
        let values = (0..<30).map { index in
            (StorageKey("key/\(index)"), Data(repeating: UInt8(index), count: index * 250))
        }
        try await storage.transaction(values.map { .put($0, $1) })
        await storage.end()
        let whole = try folder.bytes("storage.db")
        var generator = SeededGenerator(seed: TestSeed.drawn())
        var outcomes: [String: Int] = [:]
        for _ in 0..<TestScale.count(2_000) {
            var bytes = whole
            for _ in 0...generator.index(below: 3) {
                // Half of them in the first bytes of a page, where its structure is.
                let isInHeader = generator.index(below: 2) == 0
                let page = generator.index(below: bytes.count / 4_096) * 4_096
                let index = isInHeader ? page + generator.index(below: 100) : generator.index(below: bytes.count)
                bytes[index] ^= UInt8(1 + generator.index(below: 255))
            }
            outcomes[try await outcome(of: bytes, values), default: 0] += 1
        }
        // The first bytes tell a database from another file.
        #expect(try await outcome(of: [0] + whole.dropFirst(), values) == "set aside")
        #expect(try await outcome(of: Array(whole.prefix(whole.count / 2)), values) == "set aside")
        print(outcomes)
        #expect(outcomes["set aside", default: 0] > 0 && outcomes["value damaged", default: 0] > 0)
    }

    private func outcome(of bytes: [UInt8], _ values: [(StorageKey, Data)]) async throws -> String {
        for name in folder.names() { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        try folder.write(bytes, "storage.db")
        let storage = storage()
        do {
            try await storage.initialize()
        } catch let error as StorageError {
            #expect(error.message.contains(path))
            return error.code.rawValue
        }
        if let error = await storage.setAside {
            let target = try #require(folder.names().first { $0.hasPrefix("storage.db.damaged-") })
            #expect(error.code == .storageSetAside && error.message.contains("\(folder.path)/\(target)"))
            #expect(try folder.bytes(target) == bytes, "nothing is lost")
            let kept = try await storage.keys(prefix: "")
            let all = Set(values.map(\.0))
            #expect(kept.allSatisfy(all.contains))
            let summary = kept.isEmpty ? "An empty database" : "what could be read: \(kept.count) key"
            #expect(error.message.contains(summary), "\(error.message)")
            for (key, data) in values where kept.contains(key) {
                do { #expect(try await storage.data(key) == data) } catch let error as StorageError {
                    #expect(error.code == .valueDamaged)
                }
            }
            #expect(!folder.names().contains { $0.hasPrefix("storage.db-salvaged") })
            try await storage.save(1, "a")
            await storage.end()
            return "set aside"
        }
        var result = "unnoticed"
        for (key, data) in values {
            do {
                #expect(try await storage.data(key) == data)
            } catch let error as StorageError {
                #expect(error.code == .valueDamaged && error.message.contains(path))
                result = "value damaged"
            }
        }
        await storage.end()
        return result
    }

    @Test("One damaged key of a database costs that key only, and once")
    func oneDamagedKey() async throws {
        let seed = TestSeed.drawn()
        var generator = SeededGenerator(seed: seed)
        for kind in ["key", "keycheck"] {
            let storage = storage()
            let values = (0..<400).map { index in
                (StorageKey("outbox/orders/\(1_000 + index)"), Data("\(index)".utf8) + Data(count: index))
            }
            try await storage.transaction(values.map { .put($0, $1) })
            await storage.end()
            let lost = values[generator.index(below: values.count)].0
            let connection = try connect()
            let bytes = Data(lost.name.utf8)
            var damaged = bytes
            // Not in the number: that could be the key of another entry.
            damaged[generator.index(below: "outbox/orders/".count)] ^= 1 << UInt8(generator.index(below: 8))
            let change = kind == "key" ? "key = ?1" : "keycheck = keycheck + length(?1)"
            try connection.run("UPDATE entries SET \(change) WHERE key = ?2", [.blob(damaged), .blob(bytes)])
            connection.close()
            let next = self.storage()
            #expect(try await next.keys(prefix: "") == values.map(\.0).filter { $0 != lost }, "seed \(seed)")
            for (key, data) in values where key != lost { #expect(try await next.data(key) == data) }
            let error = try #require(await next.setAside)
            #expect(
                error.code == .storageSetAside && error.message.contains("what could be read: 399 keys"),
                "\(error)"
            )
            try await next.save(1, "later")
            await next.end()
            let last = self.storage()
            #expect(try await last.keys(prefix: "").count == 400)
            #expect(await last.setAside == nil, "the damage is told once")
            await last.end()
            for name in folder.names() { try FileManager.default.removeItem(atPath: "\(folder.path)/\(name)") }
        }
    }

    @Test("A database whose application_id is damaged is not taken for that of another program")
    func damagedOwner() async throws {
        let storage = storage()
        try await storage.save(1, "a")
        await storage.end()
        var bytes = try folder.bytes("storage.db")
        bytes[69] ^= 4
        try folder.write(bytes, "storage.db")
        let next = self.storage()
        #expect(try await next.load(Int.self, "a") == 1)
        #expect(await next.setAside?.message.contains("application_id") == true)
        await next.end()
    }

    @Test("A damaged page costs its keys only, and the database that is begun can be damaged again")
    func damagedPage() async throws {
        let storage = storage()
        let values = (0..<200).map { (StorageKey("key/\(1_000 + $0)"), Data(repeating: UInt8($0), count: 300)) }
        try await storage.transaction(values.map { .put($0, $1) })
        await storage.end()
        var kept = values.count
        for round in 1...2 {
            var bytes = try folder.bytes("storage.db")
            let pages = bytes.count / 4_096
            // A page that has values, and neither the header nor the root.
            let page = try #require((pages / 3..<pages).first { bytes[$0 * 4_096] == 10 })
            for index in page * 4_096..<page * 4_096 + 8 { bytes[index] = 0xA5 }
            try folder.write(bytes, "storage.db")
            let next = self.storage()
            let keys = try await next.keys(prefix: "")
            #expect(keys.count < kept && keys.count > kept - 30, "round \(round): \(keys.count) of \(kept)")
            for (key, data) in values where keys.contains(key) { #expect(try await next.data(key) == data) }
            #expect(await next.setAside?.message.contains("\(keys.count) keys") == true)
            await next.end()
            kept = keys.count
        }
        #expect(folder.names().count { $0.hasPrefix("storage.db.damaged-") } == 2)
    }

    @Test("Through a symbolic link, a database has the lock, the log and the permissions of its target")
    func links() async throws {
        let link = "\(folder.path)/link.db"
        try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "storage.db")
        let first = SQLiteStorage(path: link, options: .impatient)
        try await first.save(String(repeating: "x", count: 20_000), "a")
        #expect(folder.names() == ["link.db", "storage.db", "storage.db-lock", "storage.db-shm", "storage.db-wal"])
        for name in folder.names() where name != "link.db" {
            let attributes = try FileManager.default.attributesOfItem(atPath: "\(folder.path)/\(name)")
            #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600, "\(name)")
        }
        await first.end()
        let second = SQLiteStorage(path: link, options: .impatient)
        #expect(try await second.keys(prefix: "") == ["a"])
        var bytes = try folder.bytes("storage.db")
        for index in 4_096 * 3..<bytes.count { bytes[index] = 0xA5 }
        try folder.write(bytes, "storage.db")
        let third = storage()
        #expect(await storageError { try await third.initialize() }?.message.contains("cannot be set aside") == true)
        await second.end()
        try await third.initialize()
        await third.end()
        let loop = "\(folder.path)/loop.db"
        try FileManager.default.createSymbolicLink(atPath: loop, withDestinationPath: "loop.db")
        let none = SQLiteStorage(path: loop, options: .impatient)
        #expect(await storageError { try await none.initialize() }?.message.contains("loop.db") == true)
    }

    @Test("A database that a newer version wrote is refused, and stays as it was (PER-05)")
    func newer() async throws {
        let storage = storage()
        try await storage.save(1, "a")
        await storage.end()
        let connection = try connect()
        try connection.execute("PRAGMA user_version = 9")
        connection.close()
        let before = try folder.bytes("storage.db")
        let later = self.storage()
        let error = await storageError { _ = try await later.data("a") }
        #expect(error?.code == .storageNewer && error?.message.contains("\(path): it has the format 9") == true)
        #expect(try folder.bytes("storage.db") == before)
    }

    @Test("The database of another program is refused, and stays as it was (PER-01)")
    func foreign() async throws {
        let connection = try connect()
        try connection.execute("CREATE TABLE notes (text TEXT); INSERT INTO notes VALUES ('mine')")
        connection.close()
        let before = try folder.bytes("storage.db")
        let storage = storage()
        #expect(await storageError { try await storage.save(1, "a") }?.code == .storageForeign)
        #expect(await storage.isAvailable == false)
        #expect(try folder.bytes("storage.db") == before)
    }

    @Test("A newer program migrates the database in one transaction, and a failed migration changes nothing (PER-05)")
    func migrations() async throws {
        let storage = storage()
        try await storage.save(1, "a")
        await storage.end()
        let second: @Sendable (SQLiteConnection) throws -> Void = {
            try $0.execute("ALTER TABLE entries ADD COLUMN owner TEXT")
        }
        let failing: @Sendable (SQLiteConnection) throws -> Void = { try $0.execute("CREATE TABLE entries (x)") }
        func open(_ migrations: [@Sendable (SQLiteConnection) throws -> Void]) -> SQLiteStorage {
            let schema = SQLiteSchema(migrations: SQLiteSchema.current.migrations + migrations)
            return SQLiteStorage(path: path, options: .impatient, schema: schema)
        }
        let broken = open([second, failing])
        let error = await storageError { try await broken.initialize() }
        #expect(error?.code == .storageMigrationFailed && error?.message.contains("from the format 1 to 3") == true)
        #expect(error?.message.contains("already exists") == true)
        let old = self.storage()
        #expect(try await old.load(Int.self, "a") == 1)
        await old.end()
        let new = open([second])
        #expect(try await new.load(Int.self, "a") == 1)
        await new.end()
        let connection = try connect()
        #expect(try connection.integer("PRAGMA user_version") == 2)
        #expect(try connection.integer("SELECT count(owner) FROM entries") == 0)
        connection.close()
    }

    @Test("A database that another connection writes is an error after the limit, and works afterwards (PER-01)")
    func locked() async throws {
        let storage = storage()
        try await storage.save(1, "a")
        let connection = try connect()
        try connection.execute("BEGIN IMMEDIATE")
        let error = await storageError { try await storage.save(2, "a") }
        #expect(error?.code == .storageLocked && error?.message.contains(path) == true)
        #expect(try await storage.load(Int.self, "a") == 1, "it can be read")
        #expect(await storage.isAvailable, "it can be written later")
        try connection.execute("ROLLBACK")
        try await storage.save(2, "a")
        connection.close()
        await storage.end()
    }

    @Test("A damaged database that another storage has open is not set aside (PER-02)")
    func damagedInUse() async throws {
        let first = storage()
        try await first.save(String(repeating: "x", count: 20_000), "a")
        await first.end()
        let second = storage()
        #expect(try await second.keys(prefix: "") == ["a"])
        var bytes = try folder.bytes("storage.db")
        for index in 4_096 * 3..<bytes.count { bytes[index] = 0xA5 }
        try folder.write(bytes, "storage.db")
        let third = storage()
        let error = await storageError { try await third.initialize() }
        #expect(error?.code == .storageLocked && error?.message.contains("cannot be set aside") == true)
        #expect(!folder.names().contains { $0.contains("damaged") })
        await second.end()
        try await third.initialize()
        #expect(await third.setAside?.code == .storageSetAside)
        await third.end()
    }

    @Test("A database that is set aside is reported although the empty one cannot be begun at once (PER-02)")
    func setAsideAndFailed() async throws {
        struct Refused: Error {}
        try folder.write([UInt8](repeating: 1, count: 5_000), "storage.db")
        let reported = Lock<[StorageError]>([])
        let failures = Lock(1)
        var options = StorageOptions.quiet
        options.onSetAside = { error in reported.withLock { $0.append(error) } }
        let schema = SQLiteSchema(migrations: [
            { connection in
                if failures.withLock({ rest in
                    rest -= 1
                    return rest >= 0
                }) {
                    throw Refused()
                }
                try SQLiteSchema.current.migrations[0](connection)
            }
        ])
        let storage = SQLiteStorage(path: path, options: options, schema: schema)
        #expect(await storageError { try await storage.save(1, "a") }?.code == .storageMigrationFailed)
        #expect(reported.withLock { $0.map(\.code) } == [.storageSetAside])
        try await storage.save(1, "a")
        #expect(reported.withLock { $0.count } == 1)
        #expect(await storage.setAside?.code == .storageSetAside)
        await storage.end()
    }

    @Test("A limit that has no room for an empty database is named, and not called a full disk (PER-01)")
    func noRoom() async throws {
        for limit in [Int.min, 0, 4_096] {
            var options = StorageOptions.impatient
            options.maximumBytes = limit
            let small = SQLiteStorage(path: path, options: options)
            let error = await storageError { try await small.save(1, "a") }
            #expect(error?.code == .storageLimitReached && error?.message.contains("maximumBytes") == true)
            await small.end()
        }
        let storage = storage()
        try await storage.save(1, "a")
        await storage.end()
    }

    @Test("Two storages of one process use one database (PER-01)")
    func shared() async throws {
        let (left, right) = (storage(), storage())
        try await left.save("left", "a")
        #expect(try await right.load(String.self, "a") == "left")
        try await right.delete("a")
        #expect(try await left.keys(prefix: "") == [])
        await left.end()
        try await right.save(2, "b")
        await right.end()
        #expect(folder.names() == ["storage.db", "storage.db-lock"], "the log ends with the last storage")
    }
}
