// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

#if Instrumented
@Suite("action-counts", .timeLimit(.minutes(10)))
struct ActionCountTests {
    @Test("Every count is exact after each round of client actions from several tasks")
    func exact() async throws {
        let result = try await run(["--actions", "200000", "--tasks", "5", "--rounds", "4"])
        #expect(result.status == 0, "\(result.output)\(result.errors)")
        #expect(result.output.contains("200,000 client actions by 5 tasks at 2 clients"))
        #expect(result.output.hasSuffix("244 counts compared, 0 differ\n"), "\(result.output)")
        // The circuit breaker opened: the count includes calls that were refused.
        #expect(result.output.contains(/, [1-9][\d,]* rejected/), "\(result.output)")
    }

    @Test("One action that was not counted is found by each count that should have it")
    func planted() async throws {
        let result = try await run(["--actions", "10000", "--rounds", "1", "--plant"])
        #expect(result.status == 1)
        for what in [
            "WatchedClient.add, success", "WatchedClient.add, durations", "breaker WatchedClient, success", "spans",
            "WatchedClient.add, performed by the client",
        ] {
            #expect(result.output.contains("  \(what): counted"), "\(what): \(result.output)")
        }
        #expect(result.output.hasSuffix("61 counts compared, 5 differ\n"), "\(result.output)")
    }

    @Test("A wrong option exits with 64 and is named", arguments: ["--actions", "--tasks", "--rounds"])
    func wrongOption(option: String) async throws {
        let result = try await run([option, "0"])
        #expect(result.status == 64)
        #expect(result.errors.contains("\(option) is 0; "), "\(result.errors)")
    }

    private func run(_ arguments: [String]) async throws -> Command.Output {
        try await Command.run(BuildFolder().url.appending(path: "action-counts").path, arguments)
    }
}
#endif
