// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomHTTP
import Logging
import ShopLoad
import Testing

@testable import axiom_demo

@Suite("The network")
@MainActor
struct NetworkTests {
    private nonisolated static let logger = Logger(label: "network") { _ in SwiftLogNoOpLogHandler() }

    private actor Customer: StatelessClient, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let network: CapabilityRef<any Network>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            network = try scope.capability((any Network).self)
        }

        func process(_ action: NoAction) async throws {}
    }

    /// Starts a real server with `routes`, and passes the network that leads to it. Its clock stands still by default: a
    /// machine under load must not turn an answer into a missed deadline.
    private func withNetwork(
        _ routes: [HTTPRoute],
        clock: TimeSource = .manual(ManualTime()),
        _ body: (any Network, Ledger) async throws -> Void
    ) async throws {
        let server = HTTPServer(router: try HTTPRouter(routes))
        try server.start()
        try await withNetwork(port: try #require(server.port), clock: clock, body)
        await server.stop()
    }

    private func withNetwork(
        port: Int,
        clock: TimeSource = .manual(ManualTime()),
        _ body: (any Network, Ledger) async throws -> Void
    ) async throws {
        let orchestrator = Orchestrator(limits: .endless)
        let ledger = Shop.ledger()
        let (handedOut, hand) = AsyncStream.makeStream(of: CapabilityRef<any Network>.self)
        orchestrator.register(CountedNetwork.self, as: (any Network).self) {
            try CountedNetwork($0, port: port, clock: clock, logger: Self.logger, faults: ledger.faults)
        }
        orchestrator.register(Customer.self) { scope in
            let customer = try Customer(scope)
            hand.yield(customer.network)
            return customer
        }
        try await orchestrator.start()
        hand.finish()
        for await network in handedOut { try await body(try network.current(), ledger) }
        await orchestrator.shutdown()
    }

    private func reason(_ work: () async throws -> [UInt8]) async -> UpstreamError.Reason? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? UpstreamError)?.reason
        }
    }

    @Test("A request arrives as it was sent, and its answer too")
    func exchange() async throws {
        let echo = HTTPRoute.post("/echo", maximumBodyBytes: 1_000_000) { HTTPResponse(body: $0.body) }
        try await withNetwork([echo]) { network, _ in
            let body = (0..<500_000).map { UInt8(truncatingIfNeeded: $0) }
            let answer = try await network.send(NetworkRequest(method: "POST", path: "/echo", body: body))
            #expect(answer == body)
        }
    }

    @Test("Each kind of failure has its reason")
    func reasons() async throws {
        let routes: [HTTPRoute] = [
            .get("/busy") { _ in .text("busy", status: .serviceUnavailable) },
            .get("/reset") { _ in .reset },
        ]
        try await withNetwork(routes) { network, _ in
            #expect(await reason { try await network.get("/busy") } == .status(503))
            #expect(await reason { try await network.get("/nowhere") } == .status(404))
            #expect(await reason { try await network.get("/reset") } == .failure(.reset))
        }
    }

    @Test("A port without a listener is unreachable")
    func unreachable() async throws {
        let server = HTTPServer(router: try HTTPRouter([]))
        try server.start()
        let port = try #require(server.port)
        await server.stop()
        try await withNetwork(port: port) { network, _ in
            guard case .failure(.unreachable) = await reason({ try await network.get("/") }) else {
                Issue.record("the port answered")
                return
            }
        }
    }

    @Test("A request that is not answered by the deadline fails, and no earlier")
    func deadline() async throws {
        let time = ManualTime()
        let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
        let never = HTTPRoute.get("/never") { _ in
            arrived.yield()
            try await Task.sleep(for: .seconds(3_600))
            return .text("")
        }
        try await withNetwork([never], clock: .manual(time)) { network, _ in
            let request = Task { await reason { try await network.get("/never") } }
            for await _ in arrivals { break }
            await time.waitForSleepers(1)
            time.advance(by: HTTPNetwork.deadline - .nanoseconds(1))
            #expect(time.sleeperCount == 1)
            time.advance(by: .nanoseconds(1))
            #expect(await request.value == .failure(.timeout))
        }
    }

    @Test("A cancelled request ends with CancellationError, at the server too, and its fault counts as cancelled")
    func cancellation() async throws {
        let (events, event) = AsyncStream.makeStream(of: String.self)
        let ledgers = AsyncStream.makeStream(of: Ledger.self)
        let never = HTTPRoute.get("/never") { request in
            for await ledger in ledgers.stream {
                _ = request.headers["X-Request-Number"].flatMap { UInt64($0) }.map { ledger.faults.serve($0) }
                break
            }
            event.yield("arrived")
            try? await Task.sleep(for: .seconds(3_600))
            event.yield(Task.isCancelled ? "left" : "stayed")
            return .text("")
        }
        try await withNetwork([never]) { network, ledger in
            ledgers.continuation.yield(ledger)
            let request = Task { try await network.get("/never") }
            var observed = events.makeAsyncIterator()
            #expect(await observed.next() == "arrived")
            request.cancel()
            await #expect(throws: CancellationError.self) { try await request.value }
            #expect(await observed.next() == "left")
            #expect(ledger.faults.counts.cancelled == 1)
        }
    }

    @Test("A request of a task that was cancelled before ends with CancellationError")
    func cancelledBefore() async throws {
        try await withNetwork([.get("/") { _ in .text("") }]) { network, _ in
            let request = Task {
                withUnsafeCurrentTask { $0?.cancel() }
                return try await network.get("/")
            }
            await #expect(throws: CancellationError.self) { try await request.value }
        }
    }
}

@Suite("Reading responses")
struct ResponseParserTests {
    private static let response = Array("HTTP/1.1 503 Service Unavailable\r\nContent-length: 5\r\n\r\nhello".utf8)

    @Test("A response is the same wherever its bytes are cut", arguments: 0...response.count)
    func cuts(_ cut: Int) throws {
        var parser = ResponseParser()
        let first = try parser.take(Array(Self.response[..<cut]) + (cut == 0 ? Self.response : []))
        let response = try first ?? parser.take(Array(Self.response[cut...]))
        #expect(response == ResponseParser.Response(status: 503, body: Array("hello".utf8)))
    }

    @Test("A response that ends too early is malformed", arguments: 1..<response.count)
    func early(_ end: Int) throws {
        var parser = ResponseParser()
        #expect(try parser.take(Array(Self.response[..<end])) == nil)
        #expect(throws: ResponseParser.Malformed.self) { try parser.take([]) }
    }

    @Test("Without a length the body ends with the connection")
    func withoutLength() throws {
        var parser = ResponseParser()
        #expect(try parser.take(Array("HTTP/1.0 200 OK\r\n\r\nhel".utf8)) == nil)
        #expect(try parser.take(Array("lo".utf8)) == nil)
        #expect(try parser.take([]) == ResponseParser.Response(status: 200, body: Array("hello".utf8)))
    }

    @Test(
        "Bytes that are not a response are malformed",
        arguments: ["nonsense\r\n\r\n", "HTTP/1.1 ok\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"]
    )
    func malformed(_ text: String) {
        var parser = ResponseParser()
        #expect(throws: ResponseParser.Malformed.self) { try parser.take(Array(text.utf8)) }
    }
}
