// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if os(Linux)
@Suite("bisect-score", .timeLimit(.minutes(10)))
struct BisectScoreTests {
    @Test("Of twenty planted histories at most one is answered wrongly, with fewer builds than git bisect needs")
    func replay() async throws {
        let result = try await run(["replay", "--runs", "20", "--seed", "1", "--empty", "10", "--verbose"])
        #expect(result.status < 2, "\(result.errors)")
        let bisect = try row("axiom-bench bisect", result.output)
        let git = try row("git bisect, repeated", result.output)
        #expect(bisect.count == 5 && git.count == 5 && bisect.reduce(0, +) == 20 && git.reduce(0, +) == 20)
        // Right, a range, undecided, refused, wrong.
        #expect(bisect.first ?? 0 >= 10 && bisect.last ?? 20 <= 1, "\(result.output)")
        let builds = result.output.matches(of: /(?m)^(?:axiom-bench|git) .* %  +([\d.]+)  +[\d.]+  +[\d.]+$/)
        let means = builds.compactMap { Double($0.output.1) }
        #expect(means.count == 2 && means[0] < means[1], "\(result.output)")
        #expect(
            result.output.contains("10 histories without a step: refused 10, undecided 0, a commit named 0 (at most ")
        )
    }

    @Test("The same seed gives the same output, and another one another")
    func seeds() async throws {
        func output(_ seed: String) async throws -> String {
            let result = try await run(["replay", "--runs", "3", "--seed", seed, "--empty", "1"])
            return result.output.replacing("seed \(seed)", with: "seed")
        }
        let first = try await output("7")
        #expect(!first.isEmpty)
        #expect(try await output("7") == first)
        #expect(try await output("8") != first)
    }

    @Test("Noise that cannot be read exits with 2 and names the file and the remedy")
    func noise() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "noise-\(UUID().uuidString).json")
        defer { try? FileManager.default.removeItem(at: file) }
        for text in ["", "{}", #"{"schema": "axiom-bench/bisect-noise"}"#] {
            try Data(text.utf8).write(to: file)
            let result = try await run(["--noise", file.path])
            #expect(result.status == 2 && result.output.isEmpty)
            #expect(result.errors.contains(file.path) && result.errors.contains("make one by bisect-score record"))
        }
    }

    @Test(
        "A wrong option exits with 64 and is named",
        arguments: [
            ["--runs", "0"], ["replay", "--empty", "100001"], ["--drift", "2.0"], ["real", "--runs", "0"],
            ["real", "--commits", "7"], ["real", "--folder", "/"], ["record", "file", "--seconds", "29"],
        ]
    )
    func wrongOption(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.status == 64)
        let (option, value) = (arguments[arguments.count - 2], arguments[arguments.count - 1])
        #expect(result.errors.contains("\(option) is \(value); "), "\(result.errors)")
    }

    @Test("A recording without revisions or a command exits with 64")
    func recording() async throws {
        let command = ["--", "true"]
        let one = try await run(["record", "file", "--revision", "main"] + command)
        #expect(one.status == 64 && one.errors.contains("--revision was given 1 times"), "\(one.errors)")
        let none = try await run(["record", "file", "--revision", "one", "--revision", "two"])
        #expect(none.status == 64 && none.errors.contains("name the program behind --"), "\(none.errors)")
        let failed = try await run(["record", "file", "--revision", "one", "--revision", "two"] + command)
        #expect(failed.status == 1 && failed.errors.contains("true bisect one HEAD exited with 0"))
    }

    /// The counts of a row.
    private func row(_ name: String, _ output: String) throws -> [Int] {
        let line = try #require(output.split(separator: "\n").first { $0.hasPrefix(name) }, "\(output)")
        return line.dropFirst(name.count).split(separator: " ").prefix(5).compactMap { Int($0) }
    }

    private func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(BuildFolder().url.appending(path: "bisect-score").path, arguments)
    }
}
#endif
