// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@Suite("Atomic files")
struct AtomicFileTests {
    /// Runs `body` with a new folder.
    private func inFolder(_ body: (URL) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "axiom-atomic-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        try body(folder)
    }

    private func names(_ folder: URL) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("A write replaces the contents, keeps the mode, and leaves nothing beside the file")
    func replace() throws {
        try inFolder { folder in
            let path = folder.appending(path: "a").path
            try AtomicFile.write(Array("one".utf8), to: path)
            #expect(chmod(path, 0o640) == 0)
            try AtomicFile.write(Array("second".utf8), to: path)
            #expect(try FileBytes.read(path, limit: 6) == Array("second".utf8))
            let mode = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber
            #expect(mode?.intValue == 0o640)
            #expect(try names(folder) == ["a"])
        }
    }

    @Test("A file that is locked and not written keeps its contents, and the lock is free again")
    func abandoned() throws {
        try inFolder { folder in
            let path = folder.appending(path: "a").path
            try AtomicFile.write([1], to: path)
            do {
                let file = try AtomicFile(path)
                #expect(file.target == URL(filePath: path).resolvingSymlinksInPath().path)
                #expect(try names(folder) == [".a.unfinished", "a"])
            }
            #expect(try names(folder) == ["a"])
            #expect(try FileBytes.read(path, limit: 1) == [1])
            try AtomicFile.write([2], to: path)
            #expect(try FileBytes.read(path, limit: 1) == [2])
        }
    }

    @Test("Invalid paths and files are errors that name them, and a missing file is nil")
    func errors() throws {
        try inFolder { folder in
            for path in ["", "\(folder.path)/", folder.appending(path: "no/a").path] {
                #expect(throws: FileError.self) { try AtomicFile.write([1], to: path) }
            }
            let below = folder.appending(path: "no/a").path
            let refused = #expect(throws: FileError.self) { try AtomicFile.write([1], to: below) }
            #expect(refused.map { "\($0)".hasSuffix("a.unfinished: No such file or directory") } == true)
            #expect(refused?.message == refused?.localizedDescription && refused?.message == refused.map { "\($0)" })
            #expect(try FileBytes.read(folder.appending(path: "none").path, limit: 1) == nil)
            #expect(throws: FileError.self) { try FileBytes.read(folder.path, limit: 1 << 20) }
            let path = folder.appending(path: "a").path
            try AtomicFile.write([1, 2], to: path)
            let error = #expect(throws: FileError.self) { try FileBytes.read(path, limit: 1) }
            #expect(error?.message == "\(path) has 2 bytes, more than the limit of 1")
        }
    }
}
