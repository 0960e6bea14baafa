// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomStorage
import AxiomTesting
import Foundation
import Testing

@testable import StockServer

@Suite("A worker in one session", .timeLimit(.minutes(10)))
struct StockWorkerTests {
    private func outbox(of app: StockApplication) throws -> Outbox {
        try Outbox("orders", in: MemoryStorage(), clock: app.clock)
    }

    @Test("Each order is taken once, in every order of the tasks that append and the one that works")
    func interleavings() async throws {
        try await withInterleavings(20) { run in
            let app = try await StockApplication(tea: 4)
            let orders = try outbox(of: app)
            let worker = StockWorker(stock: app.stock, orders: orders, clock: app.clock)
            async let working: Void = worker.work(orders.updates)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<4 { group.addTask { try await orders.append("take", Data("tea".utf8)) } }
                try await group.waitForAll()
            }
            await run.quiet()
            #expect(try await orders.pendingChanges.isEmpty)
            #expect(try await app.tea == 0)
            // An idle session ends with the application.
            await app.orchestrator.shutdown()
            try await working
        }
    }

    @Test("Orders are requests of one trace each; one that cannot succeed is counted, and the next one follows")
    func traces() async throws {
        let app = try await StockApplication()
        let orders = try outbox(of: app)
        for item in ["milk", "tea"] { try await orders.append("take", Data(item.utf8)) }
        async let working: Void = StockWorker(stock: app.stock, orders: orders, clock: app.clock).work(orders.updates)
        for await status in orders.updates where status.pending == 0 { break }
        await app.orchestrator.shutdown()
        try await working
        app.recorded.expect(
            .action("take", of: StockClient.self),
            .action("take", of: StockClient.self, .failure),
            .error("SHOP_STOCK_001", in: StockClient.self)
        )
        app.recorded.expectTraces(
            """
            request StockHandler.take: failure SHOP_STOCK_001
              client StockClient.take: failure SHOP_STOCK_001
            request StockHandler.take
              client StockClient.take
            """
        )
    }

    @Test("A worker that begins before the application waits for it, and ends when its task is cancelled")
    func waits() async throws {
        let app = try await StockApplication(isStarted: false)
        let orders = try outbox(of: app)
        try await orders.append("take", Data("tea".utf8))
        let worker = StockWorker(stock: app.stock, orders: orders, clock: app.clock)
        let running = Task { try await worker.run() }
        await app.time.waitForSleepers(1)
        try await app.orchestrator.start()
        app.time.advance(by: .seconds(1))
        for await status in orders.updates where status.pending == 0 { break }
        #expect(try await app.tea == 2)
        running.cancel()
        _ = await running.result
        await app.orchestrator.shutdown()
    }
}
