// SPDX-License-Identifier: Apache-2.0

internal import CSQLite
internal import Foundation

/// A connection to a database, with the statements that it has prepared. Used by one thread at a time. All calls block.
final class SQLiteConnection {
    /// A value of a parameter or a column.
    enum Value: Hashable {
        case integer(Int64)
        case blob(Data)
    }

    let path: String
    /// Nil after ``close()``.
    private var handle: OpaquePointer?
    /// The prepared statements by their texts. The texts are constants, so there are few.
    private var statements: [String: OpaquePointer] = [:]

    /// Opens a database, and makes it if there is none.
    ///
    /// - Parameter milliseconds: How long a statement waits for another connection.
    init(_ path: String, milliseconds: Int32) throws(SQLiteError) {
        self.path = path
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard let handle else { throw SQLiteError(code: code, message: "out of memory", system: 0) }
        self.handle = handle
        // From here on, deinit closes the handle, also after an error.
        guard code == SQLITE_OK else { throw error(code) }
        sqlite3_busy_timeout(handle, milliseconds)
    }

    deinit { close() }

    /// Closes the database, and moves the contents of its log into it. A closed connection must not be used.
    func close() {
        for statement in statements.values { sqlite3_finalize(statement) }
        statements = [:]
        guard let handle else { return }
        self.handle = nil
        sqlite3_close_v2(handle)
    }

    /// Whether the file can only be read.
    var isReadOnly: Bool { sqlite3_db_readonly(handle, "main") == 1 }

    /// Whether a transaction is open.
    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    /// Changes how long a statement waits for another connection.
    func setTimeout(milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }

    /// Runs statements without parameters and without results.
    func execute(_ text: String) throws(SQLiteError) {
        let code = sqlite3_exec(handle, text, nil, nil, nil)
        guard code == SQLITE_OK else { throw error(code) }
    }

    /// Runs one statement to its end, and calls `row` for each row of its result. The statement is prepared once.
    func run(
        _ text: String,
        _ values: [Value] = [],
        row: (SQLiteRow) throws(SQLiteError) -> Void = { _ in }
    ) throws(SQLiteError) {
        let statement = try statement(text)
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        for (index, value) in values.enumerated() { try bind(value, Int32(index + 1), statement) }
        while true {
            // SQLite does not keep the reason why a COMMIT failed.
            errno = 0
            switch sqlite3_step(statement) {
            case SQLITE_ROW: try row(SQLiteRow(statement: statement))
            case SQLITE_DONE: return
            case let code: throw error(code)
            }
        }
    }

    /// The integer in the first row and column; 0 if there is none.
    func integer(_ text: String) throws(SQLiteError) -> Int {
        var result: Int64 = 0
        try run(text) { result = $0.integer(0) }
        return Int(result)
    }

    /// The text in the first row and column; empty if there is none.
    func text(_ text: String) throws(SQLiteError) -> String {
        var result = ""
        try run(text) { result = $0.text(0) }
        return result
    }

    /// Frees the memory of the page cache. Returns the number of bytes.
    func releaseMemory() -> Int64 {
        let before = cacheBytes
        sqlite3_db_release_memory(handle)
        return Int64(max(0, before - cacheBytes))
    }

    private var cacheBytes: Int32 {
        var (current, highest): (Int32, Int32) = (0, 0)
        sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_USED, &current, &highest, 0)
        return current
    }

    /// Prepares a statement if it is not prepared.
    func prepare(_ text: String) throws(SQLiteError) { _ = try statement(text) }

    private func statement(_ text: String) throws(SQLiteError) -> OpaquePointer {
        if let statement = statements[text] { return statement }
        var statement: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        guard code == SQLITE_OK, let statement else { throw error(code) }
        statements[text] = statement
        return statement
    }

    private func bind(_ value: Value, _ index: Int32, _ statement: OpaquePointer) throws(SQLiteError) {
        let code: Int32
        switch value {
        case .integer(let number): code = sqlite3_bind_int64(statement, index, number)
        // The address of no bytes may be nil, which would bind NULL.
        case .blob(let data) where data.isEmpty: code = sqlite3_bind_zeroblob(statement, index, 0)
        case .blob(let data):
            // SQLite copies the bytes: SQLITE_TRANSIENT, a macro that Swift does not import.
            let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
            code = data.withUnsafeBytes {
                sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copies)
            }
        }
        guard code == SQLITE_OK else { throw error(code) }
    }

    private func error(_ code: Int32) -> SQLiteError {
        let last = errno
        let known = sqlite3_system_errno(handle)
        let isOfSystem = code & 0xFF == SQLITE_IOERR || code & 0xFF == SQLITE_CANTOPEN
        return SQLiteError(
            code: code,
            message: String(cString: sqlite3_errmsg(handle)),
            system: isOfSystem && known == 0 ? last : known
        )
    }
}

/// The present row of a running statement. Its values are copied.
struct SQLiteRow {
    fileprivate let statement: OpaquePointer

    func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }

    func text(_ column: Int32) -> String {
        sqlite3_column_text(statement, column).map { String(cString: $0) } ?? ""
    }

    /// The bytes of a column; empty if it is NULL.
    func blob(_ column: Int32) -> Data {
        guard let start = sqlite3_column_blob(statement, column) else { return Data() }
        return Data(bytes: start, count: Int(sqlite3_column_bytes(statement, column)))
    }
}

/// An error of SQLite.
struct SQLiteError: Error, Hashable {
    /// The extended result code.
    let code: Int32
    let message: String
    /// The `errno` of the system call that failed; 0 if none did.
    let system: Int32

    private var primary: Int32 { code & 0xFF }

    /// Whether the bytes of the file are not those of a database.
    var isDamage: Bool { primary == SQLITE_CORRUPT || primary == SQLITE_NOTADB }
    /// Whether the database lacks a table or a column, or has one too many.
    var isOfSchema: Bool { primary == SQLITE_ERROR }
    /// Whether the disk or the limit of pages is full.
    var isFull: Bool { primary == SQLITE_FULL }
    /// Whether the disk or a quota is full, also for the memory that connections share.
    var isOfFullDisk: Bool { isFull || [ENOSPC, EDQUOT].contains(system) || code == SQLITE_IOERR | (19 << 8) }
    /// Whether another connection holds a lock.
    var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    /// The error as one of a storage.
    func storageError(_ path: String) -> StorageError {
        let cause = "SQLite: \(message)" + (system == 0 ? "" : " (\(String(cString: strerror(system))))")
        switch primary {
        case SQLITE_FULL: return .full(path, cause: cause)
        case SQLITE_READONLY, SQLITE_PERM, SQLITE_AUTH: return .readOnly(path, cause: cause)
        case SQLITE_BUSY, SQLITE_LOCKED: return .locked(path, cause: cause)
        default: return .system(path, cause, code: system)
        }
    }
}
