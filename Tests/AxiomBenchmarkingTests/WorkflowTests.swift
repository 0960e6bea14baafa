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
        #expect(run.baseline == BaselineReference.automatic)
        #expect(try run.options.seconds == 300)
        #expect(run.output.format == .markdown && run.output.output == "$GITHUB_STEP_SUMMARY")
        #expect(run.output.report == ["github=-"])
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

    @Test(
        "Its steps, played on the merge of a pull request that allocates once more, exit 1 with verdict and annotation",
        .enabled(
            if: ExternalTool.swiftc.mayRun,
            "swiftc is missing: it comes with Swift, whose folder must be in PATH"
        ),
        .timeLimit(.minutes(10))
    )
    func played() async throws {
        let sample = try SampleProgram()
        defer { sample.remove() }
        try await makePullRequest(sample)
        let (clone, summary) = (sample.below("workspace"), sample.path("summary.md"))
        try await checkout(clone, from: sample.path("remote.git"))
        let environment = [
            "GITHUB_ACTIONS": "true", "GITHUB_EVENT_NAME": "pull_request", "GITHUB_BASE_REF": "main",
            "GITHUB_REF": "refs/pull/1/merge", "GITHUB_WORKSPACE": clone.folder.path, "GITHUB_STEP_SUMMARY": summary,
            "GIT_CONFIG_GLOBAL": sample.path("gitconfig"),
        ]
        var last: Command.Output?
        for words in try Self.commands() {
            #expect(last?.status ?? 0 == 0, "a step before the last one failed: \(last?.errors ?? "")")
            let line = words.joined(separator: " ").replacingOccurrences(
                of: "greeting-benchmarks",
                with: "sample-benchmarks"
            )
            let more = words.first == "swift" ? " --filter allocate --metrics allocations" : ""
            let script = "cd '\(clone.folder.path)' && \(line)\(more)"
            let variables = environment.map { "\($0.key)=\($0.value)" }
            last = try await Command.run("/usr/bin/env", variables + ["bash", "-e", "-c", script])
        }
        let output = try #require(last)
        #expect(output.status == 1, "\(output.output) \(output.errors)")
        #expect(output.output.contains("::error file="), "\(output.output)")
        let page = try String(contentsOfFile: summary, encoding: .utf8)
        #expect(page.hasPrefix("## axiom-bench: 1 regression: `strings/allocate` allocations +100.00 %\n"), "\(page)")
        #expect(page.contains("against the target of the merge that is checked out (GITHUB_REF)"), "\(page)")
        #expect(page.contains(" of processor time)"), "\(page)")
    }

    /// A bare remote with main and a merge of the pull request, as GitHub makes it.
    private func makePullRequest(_ sample: SampleProgram) async throws {
        let origin = sample.below("origin")
        try await origin.makeRepository()
        try await origin.git("checkout", "-qb", "topic")
        let source = try String(contentsOfFile: origin.path("Sources/main.swift"), encoding: .utf8)
        try origin.write(source.replacingOccurrences(of: "\"1\"", with: "\"2\""), "Sources/main.swift")
        try await origin.git("commit", "-qam", "Allocate twice")
        try await origin.git("checkout", "-q", "main")
        try origin.write("a note", "notes.txt")
        try await origin.git("add", "-A")
        try await origin.git("commit", "-qm", "A note")
        try await origin.git("checkout", "-q", "--detach")
        try await origin.git("merge", "-q", "--no-ff", "-m", "Merge", "topic")
        try await origin.git("update-ref", "refs/pull/1/merge", "HEAD")
        try await origin.git("clone", "-q", "--mirror", origin.folder.path, sample.path("remote.git"))
    }

    /// What `actions/checkout` does, with the depth of the file.
    private func checkout(_ clone: SampleProgram, from remote: String) async throws {
        let url = Repository.root.appending(path: "Documentation/axiom-bench-workflow.yml")
        let text = try String(contentsOf: url, encoding: .utf8)
        let depth = try #require(
            text.firstMatch(of: /fetch-depth: ([1-9][0-9]*)\n/)?.output.1,
            "the clone is not shallow"
        )
        try FileManager.default.createDirectory(at: clone.folder, withIntermediateDirectories: true)
        try await clone.git("init", "-q")
        try await clone.git("remote", "add", "origin", "file://\(remote)")
        let merge = "+refs/pull/1/merge:refs/remotes/pull/1/merge"
        try await clone.git("fetch", "-q", "--no-tags", "--depth=\(depth)", "origin", merge)
        try await clone.git("checkout", "-q", "--force", "refs/remotes/pull/1/merge")
    }
}
