// SPDX-License-Identifier: Apache-2.0

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
