// SPDX-License-Identifier: Apache-2.0

public import Axiom

/// Keeps values in a SQLite database.
///
/// ```swift
/// orchestrator.register(SQLiteStorage.self) { SQLiteStorage($0, path: "/var/lib/shop/shop.db") }
/// ```
/// A change is durable when it returns: the database writes ahead to a log (`journal_mode=WAL`) and flushes it
/// (`synchronous=FULL`). Several processes may use one database; they take turns to write.
///
/// When it is opened, the structure of the database and all keys are checked. A damaged database is renamed, a new one
/// with what could be read takes its place, and an error with both names ends at the boundary of the orchestrator;
/// ``StorageOptions/onSetAside`` is called with it. Each value has a checksum too: a damaged one is an error, never a
/// wrong value. A database that a newer version wrote, or another program, is refused and not changed.
///
/// Beside the database are its log (`-wal`, `-shm`) and a lock file (`-lock`). A new database, and what is beside it, is for the
/// user of the process only. Do not use a network file system. If the files are removed while they are open, the next
/// change throws, and the operation after it begins a new database.
public actor SQLiteStorage: DiskStorage {
    /// The identity of this capability.
    public nonisolated let identity: ComponentIdentity
    /// Does the work.
    package nonisolated let core: StorageCore

    /// Creates the capability. The database is made, if there is none, when the capability is initialised.
    ///
    /// - Parameters:
    ///   - scope: The scope of the capability.
    ///   - path: The path of the database. Its folder is made if there is none.
    ///   - options: The limits.
    public init(_ scope: borrowing CapabilityScope, path: String, options: StorageOptions = StorageOptions()) {
        self.init(scope.identity, path, options, scope.status, scope.report, SQLiteSchema.current)
    }

    /// Creates a storage without an orchestrator. The database is made, if there is none, at the first operation.
    ///
    /// - Parameters:
    ///   - path: The path of the database. Its folder is made if there is none.
    ///   - options: The limits.
    public init(path: String, options: StorageOptions = StorageOptions()) {
        self.init(path: path, options: options, schema: .current)
    }

    init(path: String, options: StorageOptions, schema: SQLiteSchema) {
        let descriptor = ComponentDescriptor(kind: .capability, name: "SQLiteStorage")
        self.init(ComponentIdentity(standalone: descriptor), path, options, nil, nil, schema)
    }

    private init(
        _ identity: ComponentIdentity,
        _ path: String,
        _ options: StorageOptions,
        _ status: CapabilityStatus?,
        _ report: (@Sendable (any Error) async -> Void)?,
        _ schema: SQLiteSchema
    ) {
        self.identity = identity
        core = StorageCore(path, identity, options, status, report, clock: identity.clock) { noteSetAside in
            let file = FilePath.target(path)
            let opened = try SQLiteOpening(path: file, options: options, schema: schema).open(noteSetAside)
            return SQLiteDatabase(opened, options)
        }
    }

    /// The error that names the damaged database which this storage set aside when it was opened; nil if there was none.
    public var setAside: StorageError? { get async { await core.setAside } }
}
