// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomHTTP

/// The greedy clients are at 127.0.0.2, the others at 127.0.0.1.
@Suite("Clients at two addresses", .timeLimit(.minutes(10)))
struct FairnessTests {
    private static let greedy = "127.0.0.2"

    @Test("Connections of another address that keep half a head do not take the place of a slow client")
    func pending() async throws {
        let route = HTTPRoute.immediate("/") { _ in .text("in") }
        try await withServer([route], .with { ($0.waitingLimit, $0.headTimeout) = (32, .seconds(300)) }) { _, port in
            let slow = try await RawClient(port: port)
            try await slow.send("GET / HTTP/1.1\r\n")
            var others: [RawClient] = []
            for _ in 0..<100 {
                let other = try await RawClient(port: port, from: Self.greedy)
                try? await other.send("GET / HTTP/1.1\r\n")
                others.append(other)
            }
            // The oldest of the greedy ones were closed, and the slow one, older than all, was not.
            #expect(try await others[0].readToEndOrReset().text.isEmpty)
            try await slow.send("Host: localhost\r\n\r\n")
            #expect(try await slow.response().body == "in")
        }
    }

    @Test("When every handler of another address is busy at its limit, this address is served at once")
    func perAddress() async throws {
        let (entered, released) = (Event(), Event())
        let routes: [HTTPRoute] = [
            .immediate("/") { _ in .text("in") },
            .get("/busy") { _ in
                entered.fire()
                await released.wait()
                return .text("done")
            },
        ]
        // A sixteenth of 16 is 1: 15 requests are served.
        let limits: HTTPServerConfiguration = .with { ($0.connectionLimit, $0.connectionLimitPerAddress) = (64, 16) }
        try await withServer(routes, limits) { _, port in
            var busy: [RawClient] = []
            for _ in 0..<30 {
                let client = try await RawClient(port: port, from: Self.greedy)
                try await client.send("GET /busy HTTP/1.1\r\nHost: localhost\r\n\r\n")
                busy.append(client)
            }
            await entered.wait(15)
            for _ in 0..<20 { #expect(try await RawClient(port: port).request("GET", "/").body == "in") }
            #expect(entered.count == 15)
            released.fire()
            for client in busy { #expect(try await client.response().body == "done") }
        }
    }

    @Test("An idle connection of one address survives a flood of connections of another")
    func idle() async throws {
        let route = HTTPRoute.immediate("/") { _ in .text("in") }
        try await withServer([route], .with { ($0.connectionLimit, $0.connectionLimitPerAddress) = (32, 32) }) {
            _,
            port in
            let kept = try await RawClient(port: port)
            #expect(try await kept.request("GET", "/").body == "in")
            var others: [RawClient] = []
            for _ in 0..<100 {
                let other = try await RawClient(port: port, from: Self.greedy)
                #expect(try await other.request("GET", "/").body == "in")
                others.append(other)
            }
            #expect(try await kept.request("GET", "/").body == "in")
        }
    }

    @Test("The addresses of an IPv6 network of 64 bits count as one, and IPv4 addresses written as IPv6 do not")
    func networks() {
        let network = SocketAddress.network
        #expect(network("2001:db8::1") == network("2001:db8::ffff:0:2"))
        #expect(network("2001:db8::1") != network("2001:db8:0:1::1"))
        #expect(network("2001:db8::1") != network("2001:db8:0:100::1"))
        for host in ["10.0.0.1", "::ffff:10.0.0.1", "", "none"] { #expect(network(host) == host) }
    }

    @Test("The address whose clients leave most unread loses a response, not the one that reads")
    func unreadBytes() {
        let limits = ConnectionTable.Limits(connections: 16, connectionsPerAddress: 16, streams: 1, bodyBytes: 100)
        var table = ConnectionTable(limits: limits)
        let bodies = (0..<4).map { _ in Canary() }
        func at(_ milliseconds: Int64) -> Instant { Instant(nanoseconds: milliseconds * 1_000_000) }
        func send(_ descriptor: Int32, _ address: String, _ bytes: Int, at time: Int64) -> ConnectionTable.BodyDecision
        {
            _ = table.admit(descriptor, from: address, isReserved: false, now: at(time))
            table.start(descriptor, now: at(time))
            return table.beginBody(descriptor, ObjectIdentifier(bodies[Int(descriptor)]), bytes: bytes, now: at(time))
        }
        #expect(send(0, "a", 20, at: 0).isAllowed)
        #expect(send(1, "b", 40, at: 10).isAllowed)
        #expect(send(2, "b", 30, at: 20).isAllowed)
        let decision = send(3, "a", 40, at: 500)
        #expect(decision.isAllowed && decision.victims == [.init(descriptor: 1, isSending: true)])
        #expect(table.bodyBytes == 90)
    }

    @Test("If every unread response is recent, a further one is refused, and none is lost")
    func recentBodies() {
        let limits = ConnectionTable.Limits(connections: 16, connectionsPerAddress: 16, streams: 1, bodyBytes: 100)
        var table = ConnectionTable(limits: limits)
        let bodies = (0..<2).map { _ in Canary() }
        let now = Instant(nanoseconds: 0)
        for descriptor in Int32(0)..<2 {
            _ = table.admit(descriptor, from: "a", isReserved: false, now: now)
            table.start(descriptor, now: now)
        }
        #expect(table.beginBody(0, ObjectIdentifier(bodies[0]), bytes: 90, now: now).isAllowed)
        let refused = table.beginBody(1, ObjectIdentifier(bodies[1]), bytes: 90, now: now)
        #expect(refused == ConnectionTable.BodyDecision(isAllowed: false, victims: []))
        #expect(table.bodyBytes == 90)
    }
}
