// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// A folder of a test's own with a git repository, which goes away with this value.
final class MigrationFolder {
    private let url: URL

    init(_ files: [String: String]) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "axiom-migration-\(UUID().uuidString)/project")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: url.deletingLastPathComponent()) }

    var root: String { url.path }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to name: String) throws { try write(Data(text.utf8), to: name) }

    func write(_ data: Data, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try data.write(to: file)
    }

    func read(_ name: String) throws -> String { try String(contentsOf: url.appending(path: name), encoding: .utf8) }

    func exists(_ name: String) -> Bool { FileManager.default.fileExists(atPath: path(name)) }

    /// The names beside the project: a copy that was not removed would be one.
    var neighbours: [String] {
        get throws {
            try FileManager.default.contentsOfDirectory(atPath: url.deletingLastPathComponent().path)
                .filter { $0 != "project" }
        }
    }

    /// The bytes of all Swift files, by path.
    var sources: [String: Data] {
        get throws {
            var result: [String: Data] = [:]
            for name in try FileManager.default.subpathsOfDirectory(atPath: root) where name.hasSuffix(".swift") {
                result[name] = try Data(contentsOf: url.appending(path: name))
            }
            return result
        }
    }

    /// Commits everything.
    func commit() async throws {
        for arguments in [
            ["init", "-q"], ["add", "-A"],
            ["-c", "user.name=test", "-c", "user.email=test@localhost", "commit", "-q", "-m", "as it was"],
        ] {
            let result = try await Command.run("/usr/bin/env", ["-C", root, "git"] + arguments)
            guard result.status == 0 else { throw Failure(text: "git \(arguments): \(result.errors)") }
        }
    }

    /// Runs axiom-migrate in the folder.
    func migrate(_ arguments: String...) async throws -> Command.Output { try await migrate(arguments) }

    func migrate(_ arguments: [String]) async throws -> Command.Output {
        let tool = try BuildFolder().url.appending(path: "axiom-migrate").path
        return try await Command.run("/usr/bin/env", ["-C", root, tool] + arguments)
    }

    /// Starts axiom-migrate in the folder.
    func start(_ arguments: [String]) throws -> RunningProgram {
        let tool = try BuildFolder().url.appending(path: "axiom-migrate").path
        return try RunningProgram("/usr/bin/env", ["-C", root, tool] + arguments)
    }

    struct Failure: Error { let text: String }
}
