// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation

/// A program of `Tests/RuleChecks`, which says what is wrong, line by line, and fails when anything is.
enum RuleCheck {
    static let dashboards = Repository.root.appending(path: "Dashboards")

    /// What the program found; empty when nothing is wrong.
    static func findings(_ program: String, _ arguments: [String] = []) async throws -> String {
        try await python(Repository.root.appending(path: "Tests/RuleChecks/\(program)"), arguments)
    }

    /// What a program in Python writes, and that it failed where it did so without a word.
    static func python(_ program: URL, _ arguments: [String]) async throws -> String {
        // Without -B it would leave compiled files in the repository.
        let run = try await ExternalTool.prometheusPython.run(["-B", program.path] + arguments)
        let words = run.output + run.errors
        return words.isEmpty && run.status != 0 ? "\(program.lastPathComponent) ended with \(run.status)" : words
    }

    /// What promtool says when it finds anything wrong; empty when it does not.
    static func promtool(_ arguments: [String]) async throws -> String {
        let run = try await ExternalTool.promtool.run(arguments)
        return run.status == 0 ? "" : run.output + run.errors
    }

    /// The files in a folder of `Dashboards`, by name.
    static func files(_ folder: String, _ suffix: String) -> [String] {
        let path = dashboards.appending(path: folder).path
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        return names.filter { $0.hasSuffix(suffix) }.sorted().map { "\(path)/\($0)" }
    }
}
