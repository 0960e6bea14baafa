// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Foundation

/// Opens the database of a ``SQLiteStorage``: checks it, migrates it, and sets it aside if it is damaged.
struct SQLiteOpening {
    struct Opened {
        let connection: SQLiteConnection
        let lock: FileLock
        /// Whether there was no space for the memory that connections share, so that no other process may use the database.
        var isLimited = false
    }

    private struct Damage: Error {
        let reason: String
    }

    let path: String
    let options: StorageOptions
    let schema: SQLiteSchema

    /// - Parameter noteSetAside: Receives the error that names a damaged database, as soon as it is set aside.
    /// - Throws: ``StorageError``.
    func open(_ noteSetAside: (StorageError) -> Void) throws -> Opened {
        guard !path.isEmpty, !path.hasSuffix("/") else {
            throw StorageError.failed("\"\(path)\"", cause: "it is not the path of a file")
        }
        let folder = FilePath.folder(of: path)
        if !folder.isEmpty { try FileFolder.create(folder) }
        // Held in shared mode while the database is open. In exclusive mode, no other storage has it open.
        let lock = try FileLock.ofStorage("\(path)-lock")
        let isAlone = try lock.tryLock(.exclusive)
        if !isAlone { try lock.hold(.shared, milliseconds: options.lockMilliseconds) }
        do {
            do {
                let connection = try open(isAlone: isAlone, noteSetAside)
                if isAlone { try lock.hold(.shared, milliseconds: options.lockMilliseconds) }
                return Opened(connection: connection, lock: lock)
            } catch let error as SQLiteError where error.isOfFullDisk && isAlone {
                // What is stored can be read without space, unless it is damaged: a salvage needs space.
                do {
                    return Opened(connection: try checked(isExclusive: true), lock: lock, isLimited: true)
                } catch is Damage {
                    throw error
                }
            }
        } catch let error as SQLiteError {
            // The disk is not full; the limit has no room for the tables.
            let isLimit = error.isFull && options.maximumBytes < Self.leastBytes
            throw isLimit ? StorageError.limitReached(path, limit: options.maximumBytes) : error.storageError(path)
        }
    }

    /// More than an empty database needs, for any page size.
    private static let leastBytes = 4 * 65_536

    private func open(isAlone: Bool, _ noteSetAside: (StorageError) -> Void) throws -> SQLiteConnection {
        if isAlone { createFile() }
        do {
            return try checked()
        } catch let damage as Damage {
            guard isAlone else {
                let cause = "it is damaged (\(damage.reason)) and cannot be set aside while others use it"
                throw StorageError.locked(path, cause: cause)
            }
            // Before anything changes: on a full disk, the damaged database stays, and the next start tries again.
            let salvaged = try SQLiteSalvage(path: path, options: options, schema: schema).run()
            noteSetAside(try setAside(damage.reason, for: salvaged))
            createFile()
            return try checked()
        }
    }

    /// Makes the file of a new database, for this user only; SQLite gives its log and its memory the same permissions. If that
    /// fails, SQLite says why.
    ///
    /// Never opens a file that is there: closing it would release the locks of all connections of this process.
    private func createFile() {
        let descriptor = Foundation.open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// A connection to an intact database of the current version.
    ///
    /// - Parameter isExclusive: Whether the connection needs no memory that it shares with others, in a file.
    /// - Throws: ``Damage`` if it is not intact.
    private func checked(isExclusive: Bool = false) throws -> SQLiteConnection {
        do {
            let connection = try SQLiteConnection(path, milliseconds: options.lockMilliseconds)
            if isExclusive { try connection.execute("PRAGMA locking_mode = EXCLUSIVE") }
            try checkOwner(connection)
            try checkStructure(connection)
            try configure(connection)
            try schema.migrate(connection)
            try checkKeys(connection)
            return connection
        } catch let error as SQLiteError where error.isDamage {
            throw Damage(reason: error.message)
        }
    }

    /// - Throws: ``StorageError`` if the database is that of a newer version or of another program.
    private func checkOwner(_ connection: SQLiteConnection) throws {
        if connection.isReadOnly { throw StorageError.readOnly(path, cause: "SQLite could open it for reading only") }
        let owner = try connection.integer("PRAGMA application_id")
        let version = try connection.integer("PRAGMA user_version")
        let isEmpty = try connection.integer("SELECT count(*) FROM sqlite_schema") == 0
        if isEmpty, owner == 0, version == 0 { return }
        guard owner == SQLiteSchema.applicationID else {
            if try hasOwnTables(connection) { throw Damage(reason: "its application_id is \(owner)") }
            throw StorageError.foreign(path, because: "it is the database of another program")
        }
        guard version <= schema.version else { throw StorageError.newer(path, version: version, known: schema.version) }
        guard version > 0 else { throw Damage(reason: "its version is \(version), and it has tables") }
    }

    /// Whether the tables are exactly those of this version: no other program has them.
    private func hasOwnTables(_ connection: SQLiteConnection) throws -> Bool {
        let new = try SQLiteConnection(":memory:", milliseconds: 0)
        try schema.migrate(new)
        let tables = "SELECT group_concat(sql, ';') FROM sqlite_schema"
        return try connection.text(tables) == new.text(tables)
    }

    private func checkStructure(_ connection: SQLiteConnection) throws {
        let problem = try connection.text("PRAGMA quick_check(1)")
        guard problem == "ok" else { throw Damage(reason: problem) }
    }

    private func configure(_ connection: SQLiteConnection) throws {
        // Without FAST, a build of SQLite with SECURE_DELETE writes every page of a removed value.
        try connection.execute("PRAGMA trusted_schema = OFF; PRAGMA cell_size_check = ON; PRAGMA secure_delete = FAST")
        if try connection.text("PRAGMA journal_mode") != "wal" {
            // Before the first table is made, and only then.
            try connection.execute("PRAGMA auto_vacuum = INCREMENTAL")
            let mode = try connection.text("PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw StorageError.failed(path, cause: "the file system does not support the log of SQLite")
            }
        }
        // The log is truncated to this size when its pages are in the database.
        try connection.execute("PRAGMA synchronous = FULL; PRAGMA journal_size_limit = 4194304")
        let pageSize = max(512, try connection.integer("PRAGMA page_size"))
        try connection.execute("PRAGMA max_page_count = \(max(1, options.maximumBytes / pageSize))")
    }

    /// Checks what the structure does not show: that each key is the one that was stored.
    private func checkKeys(_ connection: SQLiteConnection) throws {
        do {
            var isWhole = true
            try connection.run("SELECT key, keycheck FROM entries") { row in
                if CRC32C.checksum(row.blob(0)) != UInt32(truncatingIfNeeded: row.integer(1)) { isWhole = false }
            }
            guard isWhole else { throw Damage(reason: "the checksum of a key is wrong") }
            try SQLiteDatabase.prepare(connection)
        } catch let error as SQLiteError where error.isOfSchema {
            throw Damage(reason: error.message)
        }
    }

    /// Renames the database and its log, so that they can be opened together under the new name, and puts the new database in
    /// their place.
    private func setAside(_ reason: String, for salvaged: SQLiteSalvage.Result?) throws -> StorageError {
        let target = SetAside.target(path)
        for affix in ["-wal", "-shm"] { try SetAside.move(path + affix, to: target + affix) }
        // With two names there is a database under the first one at any time. Some file systems do not offer it.
        if salvaged == nil || link(path, target) != 0 { try SetAside.move(path, to: target) }
        guard let salvaged else { return .setAside(path, as: target, because: reason, "An empty database was begun.") }
        try SetAside.move(salvaged.path, to: path)
        let keys = salvaged.keys == 1 ? "1 key" : "\(salvaged.keys) keys"
        return .setAside(path, as: target, because: reason, "A new database has what could be read: \(keys).")
    }
}

/// The versions of the tables: each migration changes the database from the version before to its own. The version of a
/// database is its `user_version`.
struct SQLiteSchema: Sendable {
    /// The number that tells a storage from the databases of other programs: its `application_id`, "AXST".
    static let applicationID = 0x4158_5354

    /// The migrations; the first one makes version 1 from an empty database.
    let migrations: [@Sendable (SQLiteConnection) throws -> Void]

    /// The version of this program.
    var version: Int { migrations.count }

    /// The tables of this version.
    ///
    /// The checksums are CRC-32C: `keycheck` of the key, `valuecheck` of the key and the value. The value is the last
    /// column, so that the others are read without its pages.
    static let current = SQLiteSchema(migrations: [
        { connection in
            try connection.execute(
                """
                CREATE TABLE entries (
                    key BLOB NOT NULL PRIMARY KEY,
                    keycheck INTEGER NOT NULL,
                    valuecheck INTEGER NOT NULL,
                    value BLOB NOT NULL
                ) WITHOUT ROWID
                """
            )
        }
    ])

    /// Brings the database to the version of this program, in one transaction.
    ///
    /// - Throws: ``StorageError`` with the code `storageMigrationFailed`; then nothing has changed.
    func migrate(_ connection: SQLiteConnection) throws {
        try connection.execute("BEGIN IMMEDIATE")
        let old = try connection.integer("PRAGMA user_version")
        do {
            for migration in migrations.dropFirst(old) { try migration(connection) }
            if old == 0 { try connection.execute("PRAGMA application_id = \(Self.applicationID)") }
            if old < version { try connection.execute("PRAGMA user_version = \(version)") }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            // The caller handles damage, a full disk and a lock.
            if let error = error as? SQLiteError, !error.isOfSchema { throw error }
            throw StorageError.migrationFailed(connection.path, from: old, to: version, cause: error)
        }
    }
}
