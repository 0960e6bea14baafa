// SPDX-License-Identifier: Apache-2.0

@_spi(AxiomTools) import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

/// Only what the functions add to those that they call, which have tests of their own.
@Suite("What the package Tools uses")
struct ToolSupportTests {
    private let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-tools-\(UUID().uuidString)")

    private func withFolder(_ body: (_ path: String) throws -> Void) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder.appending(path: "a.swift").path)
    }

    @Test("A file is read, written, and replaced only if it did not change")
    func files() throws {
        try withFolder { path in
            #expect(try ToolSupport.read(path, limit: 10) == nil)
            try ToolSupport.write([1, 2], to: path)
            #expect(try ToolSupport.read(path, limit: 10) == [1, 2])
            #expect(try !ToolSupport.replace([1], with: [3], in: path))
            #expect(try ToolSupport.read(path, limit: 10) == [1, 2])
            #expect(try ToolSupport.replace([1, 2], with: [3], in: path))
            #expect(try ToolSupport.read(path, limit: 10) == [3])
        }
    }

    @Test("A failure names the operation and the path, and what the system said")
    func failures() throws {
        try withFolder { path in
            try ToolSupport.write([1, 2], to: path)
            let large = #expect(throws: ToolSupport.FileFailure.self) { try ToolSupport.read(path, limit: 1) }
            #expect(large?.message == "\(path) has 2 bytes, more than the limit of 1")
            #expect(large?.cause == nil && large?.localizedDescription == large?.message)
            let below = "\(path)/b.swift"
            for operation in [
                { try ToolSupport.write([], to: below) }, { _ = try ToolSupport.replace([], with: [], in: below) },
            ] {
                let failure = #expect(throws: ToolSupport.FileFailure.self) { try operation() }
                #expect(failure?.message.contains("a.swift/") == true && failure?.cause == "Not a directory")
                #expect(failure.map { "\($0)".hasSuffix(": Not a directory") } == true)
            }
        }
    }

    @Test("A checksum is CRC-32C, and does not depend on the kind of the sequence")
    func checksum() {
        let bytes = Array("123456789".utf8)
        #expect(ToolSupport.checksum(bytes) == 0xE306_9283)
        #expect(
            ToolSupport.checksum(bytes[...]) == 0xE306_9283 && ToolSupport.checksum(AnySequence(bytes)) == 0xE306_9283
        )
    }

    @Test("The environment of git has no repository, and a refusal is its first line and its last")
    func git() {
        #expect(ToolSupport.withoutRepository(["GIT_DIR": "/a", "PATH": "/bin"]) == ["PATH": "/bin"])
        #expect(ToolSupport.refusal(ofGit: "fatal: not a git repository\n") == nil)
        #expect(
            ToolSupport.refusal(ofGit: "fatal: dubious ownership\n\n\tgit config\n")
                == "fatal: dubious ownership: git config"
        )
    }

    @Test("A text has no full stop at its end inside a sentence")
    func clauses() {
        #expect(ToolSupport.clause("It is gone. \n") == "It is gone")
        #expect(ToolSupport.clause(CancellationError()) == "it was cancelled")
    }
}
