// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Testing

@Suite("What the compiler refuses", .serialized)
struct CompileFailureTests {
    @Test(
        "A file that breaks a rule is refused, its twin that differs in one line compiles",
        arguments: RuleFixture.all
    )
    func rules(fixture: RuleFixture) async throws {
        try await check(fixture)
    }

    @Test(
        "Components come from the orchestrator only; the twin that differs in one line compiles",
        arguments: RuleFixture.creation
    )
    func creation(fixture: RuleFixture) async throws {
        try await check(fixture)
    }

    @Test(
        "What a request handler gets cannot outlive it; the twin that differs in one line compiles",
        arguments: RuleFixture.requests
    )
    func requests(fixture: RuleFixture) async throws {
        try await check(fixture)
    }

    private func check(_ fixture: RuleFixture) async throws {
        try expectOneDifferentLine(fixture)
        let compiler = try Compiler()
        let allowed = try await compiler.compile(fixture.allowed)
        #expect(allowed.status == 0, "\(allowed.errors)")
        #expect(allowed.errors.isEmpty, "\(allowed.errors)")
        let forbidden = try await compiler.compile(fixture.forbidden)
        #expect(forbidden.status != 0)
        #expect(forbidden.errors.contains("error: \(fixture.diagnostic)"), "\(forbidden.errors)")
    }

    private func expectOneDifferentLine(_ fixture: RuleFixture) throws {
        let lines = [fixture.allowed, fixture.forbidden].map {
            $0.split(separator: "\n", omittingEmptySubsequences: false)
        }
        try #require(lines[0].count == lines[1].count)
        #expect(zip(lines[0], lines[1]).count { $0 != $1 } == 1)
    }
}
