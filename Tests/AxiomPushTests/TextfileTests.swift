// SPDX-License-Identifier: Apache-2.0

import AxiomMetrics
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite("A textfile for node_exporter", .serialized)
struct TextfileTests {
    private static func folder() throws -> URL {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-textfile-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        return folder
    }

    private static func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o7777 : 0
    }

    @Test("It is a page that the reference parser reads, has the mode that was asked for, and leaves no other file")
    func page() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let registry = Registry()
        try registry.counter("jobs_total", help: "J.").increment(by: 7)
        try registry.histogram("wait_seconds", help: "W.").observe(0.3)
        let path = folder.appending(path: "backup.prom").path
        let target = try PushTarget.textfile(path)
        let batch = try #require(target.destination.batches(of: registry.collect(), at: 1).first)
        #expect(batch.samples == 2)
        let old = umask(0o077)
        defer { umask(old) }
        _ = try await target.destination.send(batch)
        #expect(Self.mode(path) == 0o644)
        let text = try String(contentsOfFile: path, encoding: .utf8)
        let families = try await PrometheusText.read(text).families
        #expect(families.first { $0.name == "jobs" }?.samples.map(\.value) == [7])
        #expect(
            families.first { $0.name == "wait_seconds" }?.samples.first { $0.name == "wait_seconds_sum" }?.value == 0.3
        )
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["backup.prom"])

        let narrow = try PushTarget.textfile(path, mode: 0o640)
        _ = try await narrow.destination.send(batch)
        #expect(Self.mode(path) == 0o640)
    }

    @Test("A program whose file another one writes too says so, and writes again when the other one has ended")
    func shared() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "shop.prom").path
        let (first, second) = (try PushTarget.textfile(path).destination, try PushTarget.textfile(path).destination)
        func page(_ letter: String) -> PushBatch { PushBatch(samples: 1, bytes: Array(letter.utf8)) }
        // What an earlier run left is replaced.
        try Data("old".utf8).write(to: URL(filePath: path))
        _ = try await first.send(page("a"))
        _ = try await first.send(page("b"))
        _ = try await second.send(page("c"))
        let error = await #expect(throws: PushError.self) { _ = try await first.send(page("d")) }
        #expect(error?.code == .fileFailed && error?.message.contains("\(path) was written by another program") == true)
        _ = try await second.send(page("e"))
        await #expect(throws: PushError.self) { _ = try await first.send(page("f")) }
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "e")
        // The second one has ended.
        _ = try await first.send(page("g"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "g")
        try FileManager.default.removeItem(atPath: path)
        _ = try await first.send(page("h"))
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "h")
    }

    @Test("A reader sees the old page or the new one, never a part")
    func atomic() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.prom").path
        let destination = try PushTarget.textfile(path).destination
        let pages = [UInt8(ascii: "a"), UInt8(ascii: "b")].map { [UInt8](repeating: $0, count: 300_000) }
        _ = try await destination.send(PushBatch(samples: 1, bytes: pages[0]))
        let reader = Task.detached {
            var wrong = 0
            while !Task.isCancelled {
                let bytes = [UInt8](try Data(contentsOf: URL(filePath: path)))
                if bytes != pages[0], bytes != pages[1] { wrong += 1 }
            }
            return wrong
        }
        for number in 0..<50 { _ = try await destination.send(PushBatch(samples: 1, bytes: pages[number % 2])) }
        reader.cancel()
        #expect(try await reader.value == 0)
    }

    @Test("Names that node_exporter does not read, and modes with other bits, are refused with the remedy")
    func invalid() {
        for path in ["", "/tmp/", "/tmp/a.txt", "/tmp/.prom", "/tmp/.a.prom", "/tmp/a.prom/", "a\0.prom"] {
            let error = #expect(throws: PushError.self, "\(path)") { _ = try PushTarget.textfile(path) }
            #expect(error?.message.contains(".prom") == true)
        }
        #expect(throws: PushError.self) { _ = try PushTarget.textfile("/tmp/a.prom", mode: 0o4755) }
    }

    @Test("While another process holds the file, a write can be cancelled", .timeLimit(.minutes(10)))
    func cancellation() async throws {
        let folder = try Self.folder()
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "a.prom").path
        let destination = try PushTarget.textfile(path).destination
        let descriptor = open(folder.appending(path: ".a.prom.unfinished").path, O_RDWR | O_CREAT, 0o600)
        try #require(descriptor >= 0 && flock(descriptor, LOCK_EX) == 0)
        let writing = Task { try await destination.send(PushBatch(samples: 1, bytes: [1])) }
        writing.cancel()
        await #expect(throws: CancellationError.self) { _ = try await writing.value }
        #expect(!FileManager.default.fileExists(atPath: path))
        close(descriptor)
    }

    @Test("One fault of the disk is an error with its cause, the page before stays, and the next push is written")
    func faults() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-textfile-\(UUID())")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let (path, draft) = (folder.appending(path: "a.prom").path, folder.appending(path: ".a.prom.unfinished").path)
        let destination = try PushTarget.textfile(path).destination
        _ = try await destination.send(PushBatch(samples: 1, bytes: [1]))
        for (target, cause) in [("/dev/full", "symbolic links"), (draft, "symbolic links"), ("", "directory")] {
            if target.isEmpty {
                try FileManager.default.createDirectory(atPath: draft, withIntermediateDirectories: false)
            } else {
                try FileManager.default.createSymbolicLink(atPath: draft, withDestinationPath: target)
            }
            let error = await #expect(throws: PushError.self) {
                _ = try await destination.send(PushBatch(samples: 1, bytes: [2]))
            }
            #expect(
                error?.message.contains(draft) == true && error?.message.contains(cause) == true,
                "\(error?.message ?? "")"
            )
            #expect(try Data(contentsOf: URL(filePath: path)) == Data([1]))
            try FileManager.default.removeItem(atPath: draft)
        }
        _ = try await destination.send(PushBatch(samples: 1, bytes: [3]))
        #expect(try Data(contentsOf: URL(filePath: path)) == Data([3]))
    }

    @Test("A folder that is missing is an error that names it and is tried again with the next page")
    func missingFolder() async throws {
        let destination = try PushTarget.textfile("/nonexistent/axiom/a.prom").destination
        let error = await #expect(throws: PushError.self) {
            _ = try await destination.send(PushBatch(samples: 1, bytes: [1]))
        }
        #expect(error?.code == .fileFailed && error?.message.contains("/nonexistent/axiom") == true)
        #expect(error?.retryAdvice == .stop)
    }
}
