// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

@testable import axiom_new

/// A temporary folder with files, removed at the end.
final class SampleFolder: Sendable {
    let url: URL

    init(_ files: [String: String] = [:]) throws {
        // Resolved, because the package manager prints resolved paths.
        url = FileManager.default.temporaryDirectory.resolvingSymlinksInPath()
            .appending(path: "axiom-new-\(UUID().uuidString)", directoryHint: .isDirectory)
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }

    func write(_ text: String, to path: String) throws {
        let file = url.appending(path: path)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func text(_ path: String) throws -> String {
        String(decoding: try Data(contentsOf: url.appending(path: path)), as: UTF8.self)
    }

    /// The paths of all files, sorted.
    func paths() -> [String] {
        let all = FileManager.default.enumerator(atPath: url.path)?.compactMap { $0 as? String } ?? []
        return all.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: url.appending(path: path).path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }.sorted()
    }

    /// Runs `axiom-new`, in a folder if it is given.
    static func new(_ arguments: [String], in folder: String = ".") async throws -> Command.Output {
        let program = try BuildFolder().url.appending(path: "axiom-new").path
        return try await Command.run("/usr/bin/env", ["--chdir", folder, program] + arguments)
    }
}
