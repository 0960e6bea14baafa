// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTesting
import Hummingbird
import Logging
import ServiceLifecycle
import Testing

@testable import StockServer

@Suite("A stream of events in one session", .timeLimit(.minutes(10)))
struct StockStreamTests {
    @Test("The stream has the count at once and after each interval, and each event is one request")
    func events() async throws {
        let app = try await StockApplication()
        let (events, sender) = AsyncStream.makeStream(of: String.self)
        async let sending: Void = StockStream(stock: app.stock, clock: app.clock)
            .send("tea", from: RequestOrigin(), to: sender)
        var iterator = events.makeAsyncIterator()
        #expect(await iterator.next() == "data: 3\n\n")
        try await app.stock.request(.take("tea"))
        await app.time.waitForSleepers(1)
        app.time.advance(by: .seconds(1))
        #expect(await iterator.next() == "data: 2\n\n")
        await app.orchestrator.shutdown()
        try await sending
        #expect(await iterator.next() == nil)
        app.recorded.expectTraces(
            """
            request StockHandler.count
            request StockHandler.take
              client StockClient.take
            request StockHandler.count
            """
        )
    }

    @Test("The shutdown ends a stream, in every order of the tasks")
    func interleavings() async throws {
        try await withInterleavings(20) { _ in
            let app = try await StockApplication()
            let (events, sender) = AsyncStream.makeStream(of: String.self)
            async let sending: Void = StockStream(stock: app.stock, clock: app.clock)
                .send("tea", from: RequestOrigin(), to: sender)
            async let shutdown: Void = app.orchestrator.shutdown()
            let received = await events.reduce(into: []) { $0.append($1) }
            await shutdown
            do { try await sending } catch is RequestError {
                // The shutdown was before the session.
            }
            #expect(received.allSatisfy { $0 == "data: 3\n\n" } && received.count <= 1)
            #expect(app.stock.inFlight == 0)
        }
    }

    @Test("A reader gets what was sent until the server shuts down")
    func served() async throws {
        let app = try await StockApplication()
        let router = Router()
        router.serve(StockStream(stock: app.stock, clock: app.clock))
        let parts = LiveServer.parts(router)
        let logger = Logger(label: "test")
        let group = ServiceGroup(services: [parts.application], logger: logger)
        try await withThrowingTaskGroup(of: Void.self) { tasks in
            tasks.addTask { try await group.run() }
            let server = try #require(await parts.server())
            async let answer = server.send("/stock/tea/events")
            // Of the first request's time limit, or of the stream between two events.
            await app.time.waitForSleepers(1)
            await group.triggerGracefulShutdown()
            let stream = try await answer
            #expect(stream.status == 200 && stream.type == "text/event-stream")
            #expect(stream.text == "data: 3\n\n")
            try await tasks.waitForAll()
        }
        await app.orchestrator.shutdown()
    }

    @Test("Without a free place the answer is 503 instead of a stream")
    func overload() async throws {
        let app = try await StockApplication(limits: RequestLimits(inFlight: 1, waiting: 0))
        let router = Router()
        router.serve(StockStream(stock: app.stock, clock: app.clock))
        try await LiveServer.serving(router) { server in
            let status = try await app.occupied(places: 1) { try await server.send("/stock/tea/events").status }
            #expect(status == 503)
        }
        await app.orchestrator.shutdown()
    }
}
