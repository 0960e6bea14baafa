// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import Foundation

/// The open database of a ``SQLiteStorage``. All calls block.
final class SQLiteDatabase: StorageEngine {
    private static let load = "SELECT valuecheck, value FROM entries WHERE key = ?1"
    private static let list = "SELECT key FROM entries ORDER BY key"
    private static let listPrefix = "SELECT key FROM entries WHERE key >= ?1 AND key < ?2 ORDER BY key"
    private static let put = "INSERT OR REPLACE INTO entries (key, keycheck, valuecheck, value) VALUES (?1, ?2, ?3, ?4)"
    private static let remove = "DELETE FROM entries WHERE key = ?1"

    private static let truncateLog = "PRAGMA wal_checkpoint(TRUNCATE)"

    private let connection: SQLiteConnection
    /// Others may not set the database aside while it is open.
    private let lock: FileLock
    private let path: String
    private let options: StorageOptions
    let isLimited: Bool
    /// The database and its log as they were opened.
    private let files: [String: FileIdentity]

    init(_ opened: SQLiteOpening.Opened, _ options: StorageOptions) {
        (connection, lock, self.options) = (opened.connection, opened.lock, options)
        (path, isLimited) = (opened.connection.path, opened.isLimited)
        let names = [path, path + "-wal"]
        files = Dictionary(uniqueKeysWithValues: names.compactMap { name in FileIdentity(name).map { (name, $0) } })
    }

    var isInPlace: Bool { files.allSatisfy { $0.value.isAt($0.key) } }

    /// Prepares the statements that use the table. Throws ``SQLiteError``, if the table is not the expected one.
    static func prepare(_ connection: SQLiteConnection) throws(SQLiteError) {
        for statement in [load, list, listPrefix, put, remove] { try connection.prepare(statement) }
    }

    func close() {
        connection.close()
        lock.unlock()
    }

    // MARK: Reading

    var bytes: Int { get throws { try pages("page_count") * pages("page_size") } }

    private func pages(_ pragma: String) throws(SQLiteError) -> Int { try connection.integer("PRAGMA \(pragma)") }

    func data(_ key: StorageKey) throws -> Data? {
        let bytes = Data(key.name.utf8)
        var result: (check: UInt32, data: Data)?
        do {
            try connection.run(Self.load, [.blob(bytes)]) { row in
                result = (UInt32(truncatingIfNeeded: row.integer(0)), row.blob(1))
            }
        } catch {
            guard error.isDamage else { throw error.storageError(path) }
            throw StorageError.valueDamaged(key, path, because: error.message)
        }
        guard let (check, data) = result else { return nil }
        guard CRC32C.checksum(data, after: CRC32C.checksum(bytes)) == check else {
            throw StorageError.valueDamaged(key, path, because: "its checksum is wrong")
        }
        return data
    }

    func keys(prefix: String) throws -> [StorageKey] {
        var keys: [StorageKey] = []
        var areText = true
        func add(_ row: SQLiteRow) {
            guard let key = String(validating: row.blob(0), as: UTF8.self) else {
                areText = false
                return
            }
            keys.append(StorageKey(key))
        }
        do {
            if prefix.isEmpty {
                try connection.run(Self.list) { add($0) }
            } else {
                let first = Data(prefix.utf8)
                try connection.run(Self.listPrefix, [.blob(first), .blob(Self.successor(first))]) { add($0) }
            }
        } catch {
            throw error.storageError(path)
        }
        guard areText else { throw StorageError.failed(path, cause: "a key is not text") }
        return keys
    }

    /// The first bytes behind all that begin with a prefix, which is not empty. UTF-8 has no byte 0xFF.
    private static func successor(_ prefix: Data) -> Data {
        var bytes = prefix
        bytes[bytes.endIndex - 1] &+= 1
        return bytes
    }

    // MARK: Changing

    func apply(_ changes: [StorageChange]) throws {
        try options.check(changes, of: path)
        guard !changes.isEmpty else { return }
        do {
            try perform { try change(changes) }
        } catch let error as SQLiteError {
            if error.isFull, isOverLimit(changes) { throw StorageError.limitReached(path, limit: options.maximumBytes) }
            throw error.storageError(path)
        }
    }

    /// On a full disk, moves the contents of the log to the database and tries again: the space of the log is then free.
    private func perform(_ body: () throws -> Void) throws {
        do {
            try transaction(body)
        } catch let error as SQLiteError where error.isFull {
            guard (try? connection.run(Self.truncateLog)) != nil else { throw error }
            try transaction(body)
        }
    }

    func moveAside(_ key: StorageKey, to target: StorageKey) throws {
        do {
            try perform {
                var value: Data?
                try connection.run(Self.load, [.blob(Data(key.name.utf8))]) { value = $0.blob(1) }
                if let value { try change([.put(target, value), .remove(key)]) }
            }
        } catch let error as SQLiteError {
            throw error.storageError(path)
        }
    }

    private func transaction(_ body: () throws -> Void) throws {
        try connection.run("BEGIN IMMEDIATE")
        do {
            try body()
            try connection.run("COMMIT")
        } catch {
            // SQLite rolls some failures back itself.
            if connection.isInTransaction { try? connection.run("ROLLBACK") }
            throw error
        }
    }

    private func change(_ changes: [StorageChange]) throws {
        for change in changes {
            let key = Data(change.key.name.utf8)
            switch change {
            case .remove: try connection.run(Self.remove, [.blob(key)])
            case .put(_, let data):
                let keyCheck = CRC32C.checksum(key)
                let check = CRC32C.checksum(data, after: keyCheck)
                try connection.run(
                    Self.put,
                    [.blob(key), .integer(Int64(keyCheck)), .integer(Int64(check)), .blob(data)]
                )
            }
        }
    }

    /// Whether the changes may need more pages than the limit permits: SQLite reports a full disk in the same way.
    private func isOverLimit(_ changes: [StorageChange]) -> Bool {
        guard let count = try? pages("page_count"), let unused = try? pages("freelist_count"),
            let size = try? pages("page_size"), let maximum = try? pages("max_page_count")
        else { return false }
        let added = changes.reduce(0) { sum, change in
            guard case .put(let key, let data) = change else { return sum }
            return sum + key.name.utf8.count + data.count
        }
        // Splits of pages, and what the other pages of a tree need.
        let needed = added / max(1, size) + 2 * changes.count + 8
        return needed >= maximum - count + unused
    }

    // MARK: Capability

    /// Changes a page of the log and takes it back. A database that another process writes can be written later.
    func checkWritable() throws {
        connection.setTimeout(milliseconds: 0)
        defer { connection.setTimeout(milliseconds: options.lockMilliseconds) }
        do {
            try connection.run("BEGIN IMMEDIATE")
            try connection.run("ROLLBACK")
        } catch  where error.isBusy {
            return
        } catch {
            throw error.storageError(path)
        }
        // The log grows in the folder of the database.
        try WritableProbe.check("\(path)-writable", of: path)
    }

    func relieve(_ resource: SystemResource, _ pressure: PressureLevel) throws -> Int64 {
        guard resource == .storage else { return connection.releaseMemory() }
        let before = filesBytes
        if pressure == .critical, !options.discardablePrefixes.isEmpty {
            let discarded = try keys(prefix: "").filter(options.isDiscardable)
            try apply(discarded.map { .remove($0) })
        }
        // The pages go to the database, its unused pages to the file system, and the log is truncated.
        for statement in ["PRAGMA incremental_vacuum", Self.truncateLog] {
            do {
                try connection.run(statement)
            } catch {
                throw error.storageError(path)
            }
        }
        return Int64(max(0, before - filesBytes))
    }

    /// The size of the database and its log.
    private var filesBytes: Int {
        [path, path + "-wal"].reduce(0) { sum, path in
            var status = stat()
            return stat(path, &status) == 0 ? sum + Int(status.st_size) : sum
        }
    }
}
