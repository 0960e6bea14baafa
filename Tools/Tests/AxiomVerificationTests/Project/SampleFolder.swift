// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// A folder of a test's own, which goes away with this value.
final class SampleFolder {
    private let url: URL

    /// Makes the folder with files by their paths.
    init(_ files: [String: String] = [:]) throws {
        url = FileManager.default.temporaryDirectory.appending(path: "axiom-verify-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
        for (path, text) in files { try write(text, to: path) }
    }

    deinit { try? FileManager.default.removeItem(at: url) }

    var root: String { url.path }

    func path(_ name: String) -> String { url.appending(path: name).path }

    func write(_ text: String, to name: String) throws {
        let file = url.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try Data(text.utf8).write(to: file)
    }

    func read(_ name: String) throws -> String { try String(contentsOf: url.appending(path: name), encoding: .utf8) }

    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    /// Runs a program in the folder.
    func run(_ program: String, _ arguments: [String], environment: [String] = []) async throws -> Command.Output {
        try await Command.run("/usr/bin/env", ["-C", root] + environment + [program] + arguments)
    }

    /// Commits all files to a git repository in the folder, and makes it first if there is none.
    func commit() async throws {
        let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"]
        for arguments in [["init", "-q"], ["add", "."], identity + ["commit", "-qm", "all"]] {
            let result = try await run("git", arguments)
            try #require(result.status == 0, "\(result.errors)")
        }
    }

    static let git = ExternalTool(installation: "git is missing: apt-get install git", path: ExternalTool.find("git"))
    static let swift = ExternalTool(
        installation: "swift is missing: its folder must be in PATH",
        path: ExternalTool.find("swift")
    )

    /// Runs axiom-verify in the folder. Without the variable CI, unless the environment sets it.
    func verify(_ arguments: String..., environment: [String] = []) async throws -> Command.Output {
        try await verify(arguments, environment: environment)
    }

    func verify(_ arguments: [String], environment: [String] = []) async throws -> Command.Output {
        let tool = try BuildFolder().url.appending(path: "axiom-verify").path
        return try await run(tool, arguments, environment: ["-u", "CI"] + environment)
    }
}
