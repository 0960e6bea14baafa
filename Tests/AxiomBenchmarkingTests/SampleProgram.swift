// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

/// Runs the benchmarks of `Tests/SampleBenchmarks` as a user would, in a folder of its own.
struct SampleProgram {
    let folder: URL

    private init(folder: URL) {
        self.folder = folder
    }

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// The same program in a folder below this one.
    func below(_ name: String) -> SampleProgram { SampleProgram(folder: folder.appending(path: name)) }

    /// Writes a file, and makes its folder.
    func write(_ text: String, _ name: String) throws {
        let file = folder.appending(path: name)
        try FileManager.default.createDirectory(at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
        try text.write(to: file, atomically: true, encoding: .utf8)
    }

    /// The paths of the executable files of a name, below a folder of two levels of folders.
    func files(named name: String, below root: String) throws -> [String] {
        let folders = try FileManager.default.contentsOfDirectory(atPath: path(root)).map {
            path("\(root)/\($0)/\(name)")
        }
        return folders.filter { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Where the build put the program.
    static var executable: String {
        get throws { try BuildFolder().url.appending(path: "sample-benchmarks").path }
    }

    /// Say that a system of continuous integration runs the tests. Its branches are not those of the sample.
    private static let systems = [
        "GITHUB_ACTIONS", "GITLAB_CI", "TF_BUILD", "BITBUCKET_BUILD_NUMBER", "BUILDKITE", "JENKINS_URL",
    ]

    /// Runs it with variables of the environment.
    func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Command.Output {
        let variables = Self.systems.flatMap { ["-u", $0] } + environment.map { "\($0.key)=\($0.value)" }
        return try await Command.run("/usr/bin/env", variables + [try Self.executable] + arguments)
    }
}

extension SampleProgram {
    /// Makes the folder a package under version control whose benchmarks are the sample's, with one allocation for each
    /// iteration.
    ///
    /// - Parameter variables: The environment of the benchmarks.
    func makeRepository(_ variables: [String: String] = [:]) async throws {
        let manifest = """
            // swift-tools-version: 6.2
            import PackageDescription
            let package = Package(name: "Small", targets: [.executableTarget(name: "sample-benchmarks", path: "Sources")])
            """
        let program = """
            import Glibc
            setenv("SAMPLE_ALLOCATIONS", "1", 1)
            \(variables.map { "setenv(\"\($0.key)\", \"\($0.value)\", 1)" }.joined(separator: "; "))
            let path = "\(try Self.executable)"
            var arguments = ([path] + CommandLine.arguments.dropFirst()).map { strdup($0) } + [nil]
            execv(path, &arguments)
            """
        try FileManager.default.createDirectory(atPath: path("Sources"), withIntermediateDirectories: true)
        try manifest.write(toFile: path("Package.swift"), atomically: true, encoding: .utf8)
        try program.write(toFile: path("Sources/main.swift"), atomically: true, encoding: .utf8)
        try ".build\n".write(toFile: path(".gitignore"), atomically: true, encoding: .utf8)
        try await git("init", "-q", "-b", "main")
        try await git("add", "-A")
        try await git("commit", "-qm", "The first")
    }

    /// Runs git in the folder, or in another one, and expects that it succeeds.
    @discardableResult
    func git(_ arguments: String..., in other: String? = nil) async throws -> String {
        let identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"]
        let output = try await Command.run("/usr/bin/env", ["git", "-C", other ?? folder.path] + identity + arguments)
        try #require(output.status == 0, "git \(arguments): \(output.output) \(output.errors)")
        return output.output.trimmingCharacters(in: .newlines)
    }
}
