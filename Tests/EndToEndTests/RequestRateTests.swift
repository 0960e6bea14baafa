// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("request-rates", .timeLimit(.minutes(10)))
struct RequestRateTests {
    @Test("Each way answers requests, and is compared with plain actors", arguments: ["small", "json"])
    func table(work: String) async throws {
        let result = try await run(["--seconds", "1", "--callers", "3", "--work", work, "--seed", "7"])
        #expect(result.status == 0, "\(result.errors)")
        let lines = result.output.split(separator: "\n")
        #expect(lines.first == "3 callers, 1 s for each way, in slices of 250 ms; work \(work); seed 7")
        #expect(
            lines.count == 6 && lines[2].contains(/^plain actors +[1-9]\d* .* 1\.0 \(1\.0-1\.0\)$/),
            "\(result.output)"
        )
        for line in lines.dropFirst(2) {
            #expect(line.contains(/^\D+ +[1-9]\d*( +\d+\.\d+){3}( +\d+\.\d+ \(\d+\.\d+-\d+\.\d+\)){2}$/), "\(line)")
        }
    }

    @Test("A wrong option exits with 64 and is named", arguments: ["--seconds", "--callers"])
    func wrongOption(option: String) async throws {
        let result = try await run([option, "0"])
        #expect(result.status == 64)
        #expect(result.errors.contains("\(option) is 0; "), "\(result.errors)")
    }

    private func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(BuildFolder().url.appending(path: "request-rates").path, arguments)
    }
}
