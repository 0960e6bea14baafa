// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite("diagnosis-score", .timeLimit(.minutes(10)))
struct DiagnosisScoreTests {
    @Test("It scores the named faults by their kinds, the paths, and healthy applications")
    func table() async throws {
        let result = try await run(["--runs", "3", "--seed", "1", "--verbose"])
        #expect(result.status == 0, "\(result.errors)")
        let kinds = result.output.matches(of: /(?m)^[a-z]+( and [a-z]+)?: \d of (\d) exact$/)
        #expect(kinds.compactMap { Int($0.output.2) }.reduce(0, +) == 3, "\(result.output)")
        let total = try #require(result.output.firstMatch(of: /(?m)^exact: (\d) of 3; paths right: (\d+) of (\d+)$/))
        let wrong = result.output.matches(of: /(?m)^seed \d+:/).count
        #expect(Int(total.output.1) == 3 - wrong && wrong < 2, "\(result.output)")
        #expect(total.output.2 == total.output.3, "\(result.output)")
        #expect(result.output.hasSuffix("healthy with something named: 0 of 3, below 1.0\n"), "\(result.output)")
    }

    @Test("A wrong option exits with 64 and is named", arguments: ["--runs", "--healthy-hours"])
    func wrongOption(option: String) async throws {
        let result = try await run([option, "0"])
        #expect(result.status == 64)
        #expect(result.errors.contains("\(option) is 0; "), "\(result.errors)")
    }

    private func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(BuildFolder().url.appending(path: "diagnosis-score").path, arguments)
    }
}
#endif
