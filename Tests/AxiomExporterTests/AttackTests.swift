// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite("An exporter under attack", .timeLimit(.minutes(10)))
struct AttackTests {
    /// A minute with 5,000 connections at a scale of 1; a sixth of it in an ordinary run.
    @Test("Hostile connections from the scraper's own address block neither scrapes nor health checks")
    func siege() async throws {
        let isWhole = TestScale.factor() >= 1
        let program = try BuildFolder().url.appending(path: "exporter-attack").path
        let result = try await Command.run(program, isWhole ? ["5000", "60", "500"] : ["1000", "10", "250"])
        // An ordinary run shares its processors with other tests, so its times say nothing.
        let isAnswered = result.status == 0 || (!isWhole && result.output.contains("verdict: too slow"))
        #expect(isAnswered, "\(result.output)\(result.errors)")
        #expect(!result.output.contains("could not connect\n") || result.output.contains(" 0 could not connect"))
    }

    /// 2,000 connections for 30 seconds at a scale of 1.
    @Test("Hostile connections over TLS block neither scrapes nor health checks")
    func encryptedSiege() async throws {
        let isWhole = TestScale.factor() >= 1
        let program = try BuildFolder().url.appending(path: "exporter-attack").path
        let numbers = isWhole ? ["2000", "30", "200"] : ["500", "6", "80"]
        let result = try await Command.run(program, ["--tls"] + numbers)
        // An ordinary run shares its processors with other tests, so its times say nothing.
        let isAnswered = result.status == 0 || (!isWhole && result.output.contains("verdict: too slow"))
        #expect(isAnswered, "\(result.output)\(result.errors)")
        #expect(result.output.contains(" 0 could not connect"))
    }

    @Test("An attack without connections is a usage error")
    func usage() async throws {
        let program = try BuildFolder().url.appending(path: "exporter-attack").path
        #expect(try await Command.run(program, ["0"]).status == 2)
        #expect(try await Command.run(program, ["many"]).status == 2)
    }
}
