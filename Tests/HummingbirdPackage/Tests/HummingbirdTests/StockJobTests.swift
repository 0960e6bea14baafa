// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTesting
import Testing

@testable import StockServer

@Suite("A job of every minute", .timeLimit(.minutes(10)))
struct StockJobTests {
    @Test("A request is made each minute, until the task is cancelled")
    func minutes() async throws {
        try await withInterleavings(20) { run in
            let app = try await StockApplication()
            async let _: Void = StockJob(stock: app.stock, clock: app.clock).work()
            for _ in 0..<3 {
                try await app.stock.request(.take("tea"))
                await run.quiet()
                app.time.advance(by: .seconds(60))
                await run.quiet()
                #expect(try await app.tea == 3)
            }
            app.recorded.expect(
                .action("take", of: StockClient.self, count: 3),
                .action("restock", of: StockClient.self, count: 3)
            )
            await app.orchestrator.shutdown()
        }
    }

    @Test("A refusal of the circuit breaker is answered by the boundary, and counted as recovered")
    func recovers() async throws {
        let breaker = CircuitBreakerConfiguration(consecutiveFailures: 1)
        let app = try await StockApplication(breakers: [.client(StockClient.self, breaker)])
        await #expect(throws: OutOfStock.self) { try await app.stock.request(.take("milk")) }
        try await app.recorded.expectTrace(
            """
            request StockHandler.restock
              refusal StockClient: rejected AXIOM_CIRCUIT_001
            """
        ) {
            let answer = try await app.stock.request(.restock)
            #expect(answer == 0)
        }
        let handler = await app.orchestrator.inspect().handlers.first
        #expect(handler?.recovered == 1 && handler?.errors == 1)
        await app.orchestrator.shutdown()
    }

    @Test("Beside a job no take is lost, in every order of the tasks")
    func interleavings() async throws {
        try await withInterleavings(20) { run in
            let app = try await StockApplication(tea: 2)
            async let _: Void = StockJob(stock: app.stock, clock: app.clock).work()
            await run.quiet()
            async let first = app.stock.request(.take("tea"))
            async let second = app.stock.request(.take("tea"))
            app.time.advance(by: .seconds(60))
            let answers = [try await first, try await second].sorted()
            await run.quiet()
            // All orders of two takes and the job, which fills the stock up to two.
            let found = "\(answers) \(try await app.tea)"
            #expect(["[0, 1] 2", "[1, 1] 1", "[0, 1] 0"].contains(found), "\(found)")
            await app.orchestrator.shutdown()
        }
    }
}
