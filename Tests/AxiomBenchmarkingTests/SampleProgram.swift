// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// Runs the benchmarks of `Tests/SampleBenchmarks` as a user would, in a folder of its own.
struct SampleProgram {
    let folder: URL

    init() throws {
        folder = FileManager.default.temporaryDirectory.appending(path: "axiom-bench-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Removes the folder.
    func remove() {
        try? FileManager.default.removeItem(at: folder)
    }

    func path(_ name: String) -> String { folder.appending(path: name).path }

    /// Where the build put the program.
    static var executable: String {
        get throws { try BuildFolder().url.appending(path: "sample-benchmarks").path }
    }

    /// Runs it with variables of the environment.
    func run(_ arguments: [String], _ environment: [String: String] = [:]) async throws -> Command.Output {
        let variables = environment.map { "\($0.key)=\($0.value)" }
        return try await Command.run("/usr/bin/env", variables + [try Self.executable] + arguments)
    }
}
