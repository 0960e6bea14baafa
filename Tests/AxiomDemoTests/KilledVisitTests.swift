// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@testable import axiom_demo

@Suite("A visited screen and the end of the process", .timeLimit(.minutes(10)))
struct KilledVisitTests {
    /// Starts the demo, and waits for the first line of a screen.
    private func visit(_ arguments: [String]) async throws -> (program: RunningProgram, path: String) {
        let path = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "axiom-demo").path
        let program = try RunningProgram(try #require(path), ["--port", "0", "--no-dashboard"] + arguments)
        return (program, try await program.firstLine("a screen") { $0.hasPrefix("shop") ? $0 : nil })
    }

    @Test("After SIGKILL the next run draws the same history")
    func killed() async throws {
        let folder = try TestFolder()
        let state = ["--state-dir", folder.path + "/state"]
        let history = "shop > product 7, noodles"
        let first = try await visit(["--open", "shop://product/7"] + state)
        #expect(first.path == history)
        first.program.signal(SIGKILL)
        #expect(await first.program.exitCode() == SIGKILL)

        let second = try await visit(state)
        #expect(second.path == history)
        try await second.program.firstLine("the price") { $0 == "| Price" ? () : nil }
        second.program.signal(SIGKILL)
        #expect(await second.program.exitCode() == SIGKILL)

        let third = try await visit(["--screen", "cart"] + state)
        #expect(third.path == "\(history) > cart")
        third.program.signal()
        #expect(await third.program.exitCode() == 0)
        #expect(!third.program.output.contains("axiom-demo: "))
        try folder.remove()
    }

    @Test("Without the options of a visit no screen is drawn")
    func unvisited() async throws {
        let path = Bundle.main.executableURL?.deletingLastPathComponent().appending(path: "axiom-demo").path
        let program = try RunningProgram(
            try #require(path),
            ["--port", "0", "--no-dashboard", "--steps", "20", "--rate", "200"]
        )
        #expect(await program.exitCode() == 0)
        try await program.firstLine("the summary") { $0.contains(" actions; ") ? () : nil }
        #expect(!program.output.contains("\n| ") && !program.output.contains("shop >"))
    }
}
