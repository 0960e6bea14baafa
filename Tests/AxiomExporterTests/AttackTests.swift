// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("An exporter under attack", .timeLimit(.minutes(10)))
struct AttackTests {
    /// 5,000 connections for a minute if `AXIOM_TEST_SCALE` is 1; otherwise 1,000 for ten seconds.
    @Test("Every scrape and health check is answered despite hostile connections from the same address")
    func siege() async throws {
        let scale = Double(ProcessInfo.processInfo.environment["AXIOM_TEST_SCALE"] ?? "") ?? 0.01
        let isWhole = scale >= 1
        let program = try BuildFolder().url.appending(path: "exporter-attack").path
        let result = try await Command.run(program, isWhole ? ["5000", "60", "500"] : ["1000", "10", "250"])
        // Other tests run at the same time by default, so times are not judged.
        let isAnswered = result.status == 0 || (!isWhole && result.output.contains("verdict: too slow"))
        #expect(isAnswered, "\(result.output)\(result.errors)")
        #expect(!result.output.contains("could not connect\n") || result.output.contains(" 0 could not connect"))
    }

    @Test("An attack without connections is a usage error")
    func usage() async throws {
        let program = try BuildFolder().url.appending(path: "exporter-attack").path
        #expect(try await Command.run(program, ["0"]).status == 2)
        #expect(try await Command.run(program, ["many"]).status == 2)
    }
}
