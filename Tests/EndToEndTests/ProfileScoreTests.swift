// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented && os(Linux)
@Suite("profile-score", .timeLimit(.minutes(10)))
struct ProfileScoreTests {
    @Test("Each planted function is the hottest of its action")
    func programs() async throws {
        let result = try await run(["--runs", "1", "--seed", "1", "--rate", "250", "--verbose"])
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "1 runs of each program, 250 samples a second, seed 1")
        let programs = lines.filter { $0.contains(/^\D+ +[01] +1 +[\d.]+ %$/) && !$0.hasPrefix("total") }
        let named = programs.filter { $0.contains(/^\D+ +1 +1\b/) }.count
        // 95 % of 25 programs that run once: one may be missed.
        #expect(programs.count >= 20 && named >= programs.count - 1, "\(result.output)\(result.errors)")
        #expect(lines.last?.contains(/^total +(\d+) +\d+ +[\d.]+ %$/) == true, "\(result.output)")
    }

    @Test("Samples have the label of their action while threads, processes, libraries and signals come and go")
    func soak() async throws {
        let result = try await run(["soak", "--seconds", "20", "--seed", "1", "--rate", "250"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        let right = try #require(result.output.firstMatch(of: /(?m)^right: (\d+),/), "\(result.output)")
        // Samples follow the processor time that other tests leave.
        #expect(Int(right.output.1) ?? 0 > 50, "\(result.output)")
        #expect(result.output.contains(/(?m)^wrong: \d+ of actions, \d+ of detached tasks,/), "\(result.output)")
        #expect(result.output.contains("processes that failed: 0"), "\(result.output)")
    }

    @Test("The profiler needs at most 2 MiB with 64 threads while no profile is read")
    func memory() async throws {
        let result = try await run(["memory", "--seconds", "3"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains(/^64 threads, [1-9]\d* samples: \d+ kB before the start, -?\d+ kB more/))
    }

    @Test(
        "A wrong option exits with 64 and is named",
        arguments: [
            ["--runs", "0"], ["--rate", "9"], ["labels", "--samples", "1"], ["soak", "--seconds", "1"],
            ["cost", "--rounds", "1"], ["memory", "--threads", "0"],
        ]
    )
    func wrongOption(arguments: [String]) async throws {
        let result = try await run(arguments)
        #expect(result.status == 64)
        #expect(result.errors.contains("\(arguments[arguments.count - 2]) is \(arguments[arguments.count - 1]); "))
    }

    @Test("An unknown program is answered by the names of all")
    func unknownProgram() async throws {
        let result = try await run(["--only", "nothing"])
        #expect(result.status == 64)
        #expect(result.errors.contains("--only is nothing; the programs are client, capability, "), "\(result.errors)")
    }

    private func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(BuildFolder().url.appending(path: "profile-score").path, arguments)
    }
}
#endif
