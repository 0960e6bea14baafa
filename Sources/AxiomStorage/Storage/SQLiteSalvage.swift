// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Copies what can still be read of a damaged database to a new one, so that one damaged byte does not cost all other keys.
///
/// Only keys with the right checksum are copied. Each keeps its value as it is, with the checksum of the value: a damaged value
/// stays an error of its key. The damaged database is only read; closing it may move its log into it. Of several damaged pages,
/// the keys between the first and the last may be lost.
struct SQLiteSalvage {
    private static let columns = "SELECT key, keycheck, valuecheck, value FROM entries"
    private static let put = "INSERT OR IGNORE INTO entries (key, keycheck, valuecheck, value) VALUES (?1, ?2, ?3, ?4)"

    /// The damaged database.
    let path: String
    let options: StorageOptions
    let schema: SQLiteSchema

    /// The new database, until it takes the place of the damaged one.
    private var draft: String { "\(path)-salvaged" }

    /// What was copied.
    struct Result {
        /// The path of the new database. It has no log.
        let path: String
        let keys: Int
    }

    /// Copies the keys.
    ///
    /// - Returns: Nil if no key can be read.
    /// - Throws: An error of the new database, such as ``SQLiteError`` for a full disk. Nothing is left then.
    func run() throws -> Result? {
        remove()
        guard let source = try? SQLiteConnection(path, milliseconds: options.lockMilliseconds) else { return nil }
        defer { source.close() }
        var target: SQLiteConnection?
        defer { target?.close() }
        do {
            let keys = try copy(source, to: &target)
            guard let whole = target, keys > 0 else { return nil }
            try whole.run("COMMIT")
            return Result(path: draft, keys: keys)
        } catch {
            target?.close()
            remove()
            throw error
        }
    }

    private func copy(_ source: SQLiteConnection, to target: inout SQLiteConnection?) throws -> Int {
        var (keys, last): (Int, Data?) = (0, nil)
        var failure: (any Error)?
        func add(_ row: SQLiteRow) throws(SQLiteError) {
            let key = row.blob(0)
            guard CRC32C.checksum(key) == UInt32(truncatingIfNeeded: row.integer(1)), Self.isCertain(row, key) else {
                return
            }
            do {
                let whole = try target ?? begin()
                target = whole
                try whole.run(
                    Self.put,
                    [.blob(key), .integer(row.integer(1)), .integer(row.integer(2)), .blob(row.blob(3))]
                )
            } catch {
                failure = error
                throw SQLiteError(code: 0, message: "", system: 0)
            }
            (keys, last) = (keys + 1, key)
        }
        // A damaged page ends a reading. The keys behind it are read from the other end.
        if (try? source.run("\(Self.columns) ORDER BY key", row: add)) == nil, failure == nil {
            let rest = last.map { ("WHERE key > ?1 ", [SQLiteConnection.Value.blob($0)]) } ?? ("", [])
            try? source.run("\(Self.columns) \(rest.0)ORDER BY key DESC", rest.1, row: add)
        }
        if let failure { throw failure }
        return keys
    }

    /// Whether a row has more than zeros, whose checksums are right: the empty key needs the checksum of a value.
    private static func isCertain(_ row: SQLiteRow, _ key: Data) -> Bool {
        guard key.isEmpty else { return true }
        let data = row.blob(3)
        return !data.isEmpty && CRC32C.checksum(data) == UInt32(truncatingIfNeeded: row.integer(2))
    }

    /// A new database in a transaction, for this user only. It is removed if anything fails, so it needs no log.
    private func begin() throws -> SQLiteConnection {
        let descriptor = open(draft, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
        let connection = try SQLiteConnection(draft, milliseconds: options.lockMilliseconds)
        try connection.execute("PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = OFF; PRAGMA synchronous = FULL")
        try schema.migrate(connection)
        try connection.run("BEGIN IMMEDIATE")
        return connection
    }

    private func remove() {
        for affix in ["", "-journal", "-wal", "-shm"] { unlink(draft + affix) }
    }
}
