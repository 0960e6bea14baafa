// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomBenchmarking

@Suite("The workflow file for GitHub Actions")
struct WorkflowTests {
    /// The commands of the steps, in order; folded ones in one line.
    private static func commands() throws -> [[String]] {
        let url = Repository.root.appending(path: "Documentation/axiom-bench-workflow.yml")
        let lines = try String(contentsOf: url, encoding: .utf8).split(
            separator: "\n",
            omittingEmptySubsequences: false
        )
        var commands: [[String]] = []
        /// How far the lines of a folded command stand in.
        var folded: Int?
        for line in lines {
            let indent = line.prefix { $0 == " " }.count
            if let least = folded, indent > least {
                commands[commands.count - 1] += words(line)
            } else {
                folded = nil
                guard let key = line.range(of: "run: ") else { continue }
                let rest = line[key.upperBound...]
                commands.append(rest == ">" ? [] : words(rest))
                if rest == ">" { folded = indent }
            }
        }
        return commands
    }

    private static func words(_ line: some StringProtocol) -> [String] {
        line.split(separator: " ").map { $0.replacingOccurrences(of: "\"", with: "") }
    }

    @Test("Its last step runs the product of the example package, with a command line that the parser takes")
    func command() throws {
        let command = try #require(try Self.commands().last)
        #expect(command.prefix(4) == ["swift", "run", "-c", "release"])
        let product = try #require(command.dropFirst(4).first)
        let manifest = Repository.root.appending(path: "Benchmarks/Example/Package.swift")
        #expect(try String(contentsOf: manifest, encoding: .utf8).contains("name: \"\(product)\""))
        let parsed = try BenchmarkCommand.parseAsRoot(SuiteProgram.withDefaults(Array(command.dropFirst(5))))
        let run = try #require(parsed as? RunCommand)
        #expect(run.baseline == "origin/$GITHUB_BASE_REF")
        #expect(try run.options.seconds == 300)
        #expect(run.output.format == .markdown && run.output.output == "$GITHUB_STEP_SUMMARY")
    }

    @Test("Its other commands are git's")
    func others() throws {
        for command in try Self.commands().dropLast() { #expect(command.prefix(2) == ["git", "config"]) }
    }

    @Test("The lines of the page on benchmarks are ones that the parser takes")
    func page() throws {
        let page = try String(
            contentsOf: Repository.root.appending(path: "Documentation/benchmarks.md"),
            encoding: .utf8
        )
        let lines = page.split(separator: "\n").filter { $0.hasPrefix("swift run -c release MyBenchmarks") }
        #expect(lines.count >= 6)
        for line in lines {
            let command = line.prefix { $0 != "#" }.split(separator: " ").dropFirst(5).map(String.init)
            // Quotes hold words together, which the shell would know.
            let joined = command.map {
                $0.replacingOccurrences(of: "'", with: "").replacingOccurrences(of: "\"", with: "")
            }
            if joined.contains("--cmd") || joined.contains("--reason") { continue }
            #expect(throws: Never.self) { try BenchmarkCommand.parseAsRoot(SuiteProgram.withDefaults(joined)) }
        }
    }
}
