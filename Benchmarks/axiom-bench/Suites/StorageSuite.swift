// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomBenchmarking
import AxiomStorage
import Foundation

/// What it costs to keep values. A change flushes the disk, so its time is mostly that of the disk, and is not judged.
enum StorageSuite {
    static let suite = BenchmarkSuite("storage") { suite in
        add("files", to: &suite) { FileStorage(folder: $0) }
        add("sqlite", to: &suite) { SQLiteStorage(path: "\($0)/storage.db") }
        suite.add("crc32c.16KiB") { iterations in
            let bytes = [UInt8](repeating: 7, count: 16_384)
            for _ in 0..<iterations { blackHole(CRC32C.checksum(opaque(bytes))) }
        }
        addShell(to: &suite)
    }

    /// A kilobyte.
    private static let value = Data((0..<1_024).map { UInt8(truncatingIfNeeded: $0) })

    private typealias Operation = @Sendable (any KeyValueStorage, _ index: Int) async throws -> Void

    private static let operations: [(id: String, run: Operation)] = [
        ("load", { storage, index in blackHole(try await storage.data(StorageKey("key/\(index % 100)"))) }),
        ("list.100", { storage, _ in blackHole(try await storage.keys(prefix: "key/")) }),
        ("save", { storage, index in try await storage.transaction([.put(StorageKey("key/\(index % 100)"), value)]) }),
        ("save.10", { storage, _ in try await storage.transaction(changes(10)) }),
    ]

    private static func changes(_ count: Int) -> [StorageChange] {
        (0..<count).map { .put(StorageKey("key/\($0)"), value) }
    }

    /// Adds the median of 500 operations on a storage of 100 values.
    private static func add(
        _ name: String,
        to suite: inout BenchmarkSuite,
        _ make: @escaping @Sendable (String) -> any KeyValueStorage
    ) {
        for (id, run) in operations {
            suite.addValue("\(name).\(id)", unit: "us", kind: .information) {
                try await withFolder { folder in
                    let storage = make(folder)
                    try await storage.transaction(changes(100))
                    var durations = Durations()
                    for index in 0..<500 { try await durations.time { try await run(storage, index) } }
                    return durations.percentile(0.5) * 1_000
                }
            }
        }
    }

    private static func withFolder(_ body: (String) async throws -> Double) async throws -> Double {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-bench-\(UUID())").path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return try await body(folder)
    }
}

// Beside the shell of SQLite.
extension StorageSuite {
    private static let shell = ["/usr/bin/sqlite3", "/usr/local/bin/sqlite3", "/opt/homebrew/bin/sqlite3"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }
    private static let inserts = Repetitions.count(1_000)

    private static func addShell(to suite: inout BenchmarkSuite) {
        let goal = BenchmarkGoal.atMost(2, "1,000 inserts, each flushed, within 2 times the shell of SQLite")
        guard let shell else {
            return suite.addUnmeasured(
                "sqlite.shell",
                goal: goal,
                reason: "sqlite3 is missing: apt-get install sqlite3"
            )
        }
        suite.addValue("sqlite.shell", unit: "times", kind: .information, options: .goal(goal)) {
            try await withFolder { try await ratio(shell, $0) }
        }
    }

    /// The time of inserts into a ``SQLiteStorage`` by that of the same inserts by the shell: the fastest of 5 turns of
    /// each, or of those that began within 20 s, because a process that gives no answer for 60 s is ended.
    private static func ratio(_ shell: String, _ folder: String) async throws -> Double {
        let script = "\(folder)/script.sql"
        try Data(Self.script.utf8).write(to: URL(filePath: script))
        var (own, shells) = (Durations(), Durations())
        let end = ContinuousClock.now.advanced(by: .seconds(20))
        for turn in 0..<Repetitions.count(5) where turn == 0 || ContinuousClock.now < end {
            let storage = SQLiteStorage(path: "\(folder)/own-\(turn).db")
            try await storage.initialize()
            try await own.time {
                for index in 0..<inserts { try await storage.transaction([.put(StorageKey("key/\(index)"), value)]) }
            }
            await storage.terminate()
            try await shells.time { try run(shell, "\(folder)/shell-\(turn).db", script) }
        }
        return own.percentile(0) / shells.percentile(0)
    }

    /// The tables, the settings and the inserts of ``SQLiteStorage``, each insert in a transaction of its own.
    private static var script: String {
        let table = """
            PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
            CREATE TABLE entries (key BLOB NOT NULL PRIMARY KEY, keycheck INTEGER NOT NULL,
                valuecheck INTEGER NOT NULL, value BLOB NOT NULL) WITHOUT ROWID;

            """
        let digits = value.map { String(format: "%02x", $0) }.joined()
        let lines = (0..<inserts).map { index in
            let key = "key/\(index)".utf8.map { String(format: "%02x", $0) }.joined()
            return "INSERT OR REPLACE INTO entries VALUES (x'\(key)', 1234567890, 1234567890, x'\(digits)');\n"
        }
        return table + lines.joined()
    }

    private static func run(_ shell: String, _ database: String, _ script: String) throws {
        let process = Process()
        process.executableURL = URL(filePath: shell)
        process.arguments = ["-batch", "-bail", database]
        process.standardInput = try FileHandle(forReadingFrom: URL(filePath: script))
        process.standardOutput = FileHandle.nullDevice
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw FileError("sqlite3 ended with \(process.terminationStatus)") }
    }
}
