// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import AxiomTesting
import Testing

@testable import StockServer

@Suite("A command line of one request", .timeLimit(.minutes(10)))
struct StockCommandTests {
    /// Runs a command in an application of its own.
    ///
    /// - Returns: The exit code, and what the command printed.
    private func run(_ arguments: String...) async throws -> (Int32, [String], StockApplication) {
        let app = try await StockApplication(isStarted: false)
        let lines = Journal<String>()
        let command = StockCommand(orchestrator: app.orchestrator, stock: app.stock) { lines.write($0) }
        return (await command.run(arguments), lines.entries, app)
    }

    @Test("The answer is printed, and the application has ended")
    func answer() async throws {
        let (code, lines, app) = try await run("take", "tea")
        #expect(code == 0 && lines == ["2"])
        #expect(!app.orchestrator.isRunning)
        app.recorded.expect(.action("take", of: StockClient.self), .destroyed(StockHandler.self))
        app.recorded.expectTraces(
            """
            request StockHandler.take
              client StockClient.take
            """
        )
    }

    @Test("The exit code tells what went wrong")
    func exitCodes() async throws {
        #expect(try await run("take").0 == 64)
        #expect(try await run("take", String(repeating: "x", count: 41)).0 == 65)
        let (code, lines, app) = try await run("take", "milk")
        #expect(code == 1 && lines == ["There is no milk left."])
        app.recorded.expect(.error("SHOP_STOCK_001", in: StockClient.self))
    }

    @Test("A command that is interrupted at any moment ends the application, and takes nothing or tells it")
    func interrupted() async throws {
        try await withInterleavings(20) { run in
            let app = try await StockApplication(isStarted: false)
            let lines = Journal<String>()
            let command = StockCommand(orchestrator: app.orchestrator, stock: app.stock) { lines.write($0) }
            let code = await withTaskGroup(of: Int32.self) { group in
                group.addTask { await command.run(["take", "tea"]) }
                for _ in 0..<(run.seed % 8) { await Task.yield() }
                group.cancelAll()
                return await group.next()
            }
            #expect(code == 0 || code == 130)
            #expect((lines.entries == ["2"]) == (code == 0))
            #expect(!app.orchestrator.isRunning)
        }
    }
}
