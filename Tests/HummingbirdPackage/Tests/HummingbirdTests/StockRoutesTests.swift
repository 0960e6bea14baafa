// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomTesting
import Hummingbird
import Testing

@testable import StockServer

@Suite("Routes that answer by a request handler", .timeLimit(.minutes(10)))
struct StockRoutesTests {
    /// Serves an application until `body` has ended, and shuts it down.
    private func serving(_ app: StockApplication, _ body: (LiveServer) async throws -> Void) async throws {
        let router = Router()
        router.serve(app.stock)
        try await LiveServer.serving(router, body)
        await app.orchestrator.shutdown()
    }

    @Test("Each of many requests at once gets the answer of its own call, and each refusal is counted once")
    func answers() async throws {
        let app = try await StockApplication(tea: 20)
        try await serving(app) { server in
            let answers = try await withThrowingTaskGroup(of: (Int, String).self) { group in
                for _ in 0..<25 {
                    group.addTask {
                        let answer = try await server.send("/stock/tea/take", method: "POST")
                        return (answer.status, answer.text)
                    }
                }
                return try await group.reduce(into: []) { $0.append($1) }
            }
            #expect(answers.filter { $0.0 == 200 }.compactMap { Int($0.1) }.sorted() == Array(0..<20))
            #expect(answers.filter { $0.0 == 409 }.count == 5)
            #expect(try await server.send("/stock/tea").text == "0")
        }
        app.recorded.expect(
            .action("take", of: StockClient.self, count: 20),
            .error("SHOP_STOCK_001", in: StockClient.self, count: 5)
        )
    }

    @Test("A request that is not valid gets 400, and does not reach the handler")
    func validation() async throws {
        let app = try await StockApplication()
        try await serving(app) { server in
            let answer = try await server.send("/stock/\(String(repeating: "x", count: 41))/take", method: "POST")
            #expect(answer.status == 400)
        }
        app.recorded.expect(.action("take", of: StockClient.self, .failure, count: 0))
    }

    @Test("The values of the caller are those of its request")
    func language() async throws {
        let app = try await StockApplication()
        try await serving(app) { server in
            let german = try await server.send("/stock/milk/take", method: "POST", ["Accept-Language": "de-CH"])
            #expect(german.status == 409 && german.text.contains("Es gibt kein milk mehr."), "\(german.text)")
            let other = try await server.send("/stock/milk/take", method: "POST")
            #expect(other.text.contains("There is no milk left."), "\(other.text)")
        }
    }

    @Test("Without a free place the answer is 503 with the time to wait, and the health stays good")
    func overload() async throws {
        let limits = RequestLimits(inFlight: 2, waiting: 0, retryAfter: .seconds(7))
        let app = try await StockApplication(limits: limits)
        try await serving(app) { server in
            try await app.occupied(places: 2) {
                let answer = try await server.send("/stock/tea/take", method: "POST")
                #expect(answer.status == 503 && answer.header("Retry-After") == "7")
                #expect(try await server.send("/health").status == 200)
            }
            #expect(try await server.send("/stock/tea/take", method: "POST").text == "2")
        }
    }

    @Test("A request that waits for a place longer than its caller gets 504")
    func deadline() async throws {
        let limits = RequestLimits(inFlight: 1, waiting: 1, waitingTime: .seconds(60))
        let app = try await StockApplication(limits: limits)
        try await serving(app) { server in
            try await app.occupied(places: 1) {
                async let answer = server.send("/stock/tea/take", method: "POST")
                // Of the time limit, and of the time to wait for a place.
                await app.time.waitForSleepers(2)
                app.time.advance(by: .seconds(2))
                let status = try await answer.status
                #expect(status == 504)
            }
            #expect(try await server.send("/stock/tea").text == "3")
        }
    }

    @Test("Before the start and behind an open circuit breaker the answer is 503")
    func unavailable() async throws {
        let breaker = CircuitBreakerConfiguration(consecutiveFailures: 1)
        let app = try await StockApplication(breakers: [.client(StockClient.self, breaker)], isStarted: false)
        try await serving(app) { server in
            let early = try await server.send("/stock/tea")
            #expect(early.status == 503 && early.header("Retry-After") == "1")
            try await app.orchestrator.start()
            #expect(try await server.send("/stock/milk/take", method: "POST").status == 409)
            let refused = try await server.send("/stock/tea/take", method: "POST")
            #expect(refused.status == 503 && refused.header("Retry-After") == "1")
        }
    }

    @Test("A request belongs to the trace of its caller, and so do the calls that it makes")
    func trace() async throws {
        let app = try await StockApplication(isStarted: false)
        let echo = await app.orchestrator.register(EchoHandler.self) { EchoHandler($0) }
        try await app.orchestrator.start()
        let router = Router()
        router.get("/trace") { request, _ in try await echo.request(.trace, from: RequestOrigin(request)) }
        try await LiveServer.serving(router) { server in
            let trace = "0af7651916cd43dd8448eb211c80319c"
            let answer = try await server.send("/trace", ["traceparent": "00-\(trace)-b7ad6b7169203331-01"])
            #expect(answer.text.hasPrefix("00-\(trace)-") && !answer.text.contains("b7ad6b7169203331"))
            let own = try await server.send("/trace")
            #expect(own.text.hasPrefix("00-") && !own.text.contains(trace))
        }
        await app.orchestrator.shutdown()
    }
}

private enum EchoRequest: Action {
    typealias Answer = String
    case trace
}

/// Answers with what it would send along with a call of its own.
private final class EchoHandler: RequestHandler {
    let identity: ComponentIdentity

    init(_ scope: borrowing HandlerScope) { identity = scope.identity }

    func handle(_ request: EchoRequest, in work: borrowing WorkScope) async throws -> String { work.traceparent ?? "" }
}
