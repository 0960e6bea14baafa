// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomHTTP
import Foundation
import Logging
import Testing

@testable import shop_oracle

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

    private nonisolated static func get(_ path: String) -> NetworkRequest { NetworkRequest(method: "GET", path: path) }

    /// Starts a real server with `routes`, and passes the network that leads to it. Its clock stands still by default: a
    /// machine under load must not turn an answer into a missed deadline.
    private func withNetwork(
        _ routes: [HTTPRoute],
        clock: TimeSource = .manual(ManualTime()),
        _ body: (any Network, Ledger) async throws -> Void
    ) async throws {
        let server = try HTTPServer(routes: routes)
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
        let ledger = Ledger.ofShop()
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

    private func code(_ work: () async throws -> Data) async -> ErrorCode? {
        do {
            _ = try await work()
            return nil
        } catch {
            return (error as? NetworkError)?.code
        }
    }

    @Test("A request arrives as it was sent, and its answer too")
    func exchange() async throws {
        let echo = HTTPRoute.post("/echo", maximumBodyBytes: 1_000_000) { HTTPResponse(body: $0.body) }
        try await withNetwork([echo]) { network, _ in
            let body = Data((0..<500_000).map { UInt8(truncatingIfNeeded: $0) })
            let answer = try await network.send(NetworkRequest(method: "POST", path: "/echo", body: body))
            #expect(answer == body)
        }
    }

    @Test("Each kind of failure has its code")
    func codes() async throws {
        let routes: [HTTPRoute] = [
            .get("/busy") { _ in .text("busy", status: .serviceUnavailable) },
            .get("/reset") { _ in .reset },
        ]
        try await withNetwork(routes) { network, _ in
            #expect(await code { try await network.send(Self.get("/busy")) } == .serverError)
            #expect(await code { try await network.send(Self.get("/nowhere")) } == .serverError)
            #expect(await code { try await network.send(Self.get("/reset")) } == .noConnection)
        }
    }

    @Test("A port without a listener is unreachable")
    func unreachable() async throws {
        // No program listens on port 1. The port of a server that stopped could be taken by another test.
        try await withNetwork(port: 1) { network, _ in
            #expect(await code { try await network.send(Self.get("/")) } == .noConnection)
        }
    }

    @Test("The number of a request that failed stands before the cause that the network gave, and does not replace it")
    func cause() async throws {
        try await withNetwork([.get("/reset") { _ in .reset }]) { network, _ in
            let error = await #expect(throws: NetworkError.self) { try await network.send(Self.get("/reset")) }
            let request = error?.cause as? NumberedRequest
            #expect(request?.cause is POSIXError)
            #expect(request?.description.contains(", caused by POSIXError (") == true)
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
            let request = Task { await code { try await network.send(Self.get("/never")) } }
            for await _ in arrivals { break }
            // The deadline, and the end of the idle connections of the pool.
            await time.waitForSleepers(1)
            let sleepers = time.sleeperCount
            time.advance(by: HTTPNetwork.deadline - .nanoseconds(1))
            #expect(time.sleeperCount == sleepers)
            time.advance(by: .nanoseconds(1))
            #expect(await request.value == .networkTimeout)
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
            let request = Task { try await network.send(Self.get("/never")) }
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
                return try await network.send(Self.get("/"))
            }
            await #expect(throws: CancellationError.self) { try await request.value }
        }
    }
}

@Suite("Reading responses")
struct ResponseTests {
    private static let bytes = Data("HTTP/1.1 503 Service Unavailable\r\nContent-length: 5\r\n\r\nhello".utf8)

    @Test("A response is complete with its last byte, and bytes of the next one are not part of it")
    func complete() throws {
        for end in 0..<Self.bytes.count { #expect(try HTTPConnection.response(in: Self.bytes[..<end]) == nil) }
        let response = try #require(try HTTPConnection.response(in: Self.bytes + Data("HTTP".utf8)))
        #expect(response.status == 503 && response.body == Data("hello".utf8))
    }

    @Test(
        "Bytes that are not a response are an error",
        arguments: [
            "nonsense\r\n\r\n", "HTTP/1.1 ok\r\n\r\n", "HTTP/1.1 200 OK\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n",
        ]
    )
    func malformed(_ text: String) {
        #expect(throws: NetworkError.self) { _ = try HTTPConnection.response(in: Data(text.utf8)) }
    }
}
