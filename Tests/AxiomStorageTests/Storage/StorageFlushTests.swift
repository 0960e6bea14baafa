// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// What a crash of the machine would show: that everything is flushed, in the right order, before a change returns.
@Suite(
    "The order of flushes of a storage",
    .enabled(if: ExternalTool.strace.mayRun, "\(ExternalTool.strace.installation)"),
    .timeLimit(.minutes(10))
)
struct StorageFlushTests {
    private let folder: StorageFolder

    init() throws { folder = try StorageFolder() }

    @Test("Files flush each value, then decide by a rename, and flush the folder after each step (PER-02)")
    func files() async throws {
        let events = try await StorageTrace.events("files", "\(folder.path)/new/storage", of: folder)
        #expect(
            events == [
                "flush .", "flush new",
                "print found 0",
                "flush new/storage/.other.value.unfinished",
                "rename new/storage/.other.value.unfinished new/storage/other.value",
                "flush new/storage",
                "flush new/storage/.left.value.unfinished",
                "flush new/storage/.right.value.unfinished",
                "flush new/storage/..journal.unfinished",
                "rename new/storage/..journal.unfinished new/storage/.journal",
                "flush new/storage",
                "rename new/storage/.left.value.unfinished new/storage/left.value",
                "rename new/storage/.right.value.unfinished new/storage/right.value",
                "remove new/storage/other.value",
                "flush new/storage",
                "remove new/storage/.journal",
                "flush new/storage",
                "print stored",
            ]
        )
    }

    @Test("SQLite flushes its log after the last write of a change, and before the change returns (PER-02)")
    func sqlite() async throws {
        let events = try await StorageTrace.events("sqlite", "\(folder.path)/new/storage.db", of: folder)
        let end = try #require(events.firstIndex(of: "print stored"))
        #expect(events[end - 1] == "flush new/storage.db-wal")
        let start = try #require(events.firstIndex(of: "print found 0"))
        let changes = events[start..<end].filter { $0.hasSuffix("storage.db-wal") }
        #expect(changes.count { $0.hasPrefix("flush") } == 2, "\(changes)")
        #expect(events[..<start].contains("flush new"), "the name of the database")
        #expect(events[..<start].contains("flush ."), "the name of its folder")
    }
}

/// The system calls of `storage-probe try` that write and flush.
private enum StorageTrace {
    static func events(_ kind: String, _ path: String, of folder: StorageFolder) async throws -> [String] {
        let program = try BuildFolder().url.appending(path: "storage-probe").path
        let file = "\(folder.path)/trace"
        let calls = "trace=fsync,fdatasync,rename,unlink,pwrite64,write"
        let words = ["strace", "-f", "-y", "-o", file, "-e", calls, program, "try", kind, path]
        let result = try await Command.run("/usr/bin/env", words)
        try #require(result.status == 0, "\(result.errors)")
        let text = try String(contentsOfFile: file, encoding: .utf8)
        return text.split(separator: "\n").compactMap { event(String($0), folder.path) }
    }

    private static func event(_ line: String, _ root: String) -> String? {
        let text = line.replacing("\(root)/", with: "").replacing("<\(root)>", with: "<.>")
        if let match = text.firstMatch(of: /(?:fsync|fdatasync)\(\d+<(.*?)>/) { return "flush \(match.1)" }
        if let match = text.firstMatch(of: /rename\("(.*?)", "(.*?)"/) { return "rename \(match.1) \(match.2)" }
        // The removal of what is not there changes nothing.
        if let match = text.firstMatch(of: /unlink\("(.*?)"\) += 0/) { return "remove \(match.1)" }
        if let match = text.firstMatch(of: /pwrite64\(\d+<(.*?-wal)>/) { return "write \(match.1)" }
        if let match = text.firstMatch(of: /write\(1<.*?>, "(.*?)\\n"/) { return "print \(match.1)" }
        return nil
    }
}
