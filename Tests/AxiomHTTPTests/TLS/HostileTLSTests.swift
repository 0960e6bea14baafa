// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP

@Suite(
    "Hostile clients of a port with TLS",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.openssl.mayRun, Comment(rawValue: ExternalTool.openssl.installation))
)
struct HostileTLSTests {
    @Test("128 slow connections of each kind from the scraper's address do not stop it")
    func slow() async throws {
        let fixture = try await TLSFixture()
        let hello = TLSClient.clientHello()
        try await fixture.serving { _, port in
            var (raw, half): ([RawClient], [TLSClient]) = ([], [])
            // Handshakes that stop in the first message, and after it.
            for index in 0..<256 {
                let client = try await RawClient(port: port)
                try? await client.send(index.isMultiple(of: 2) ? Array(hello.prefix(40)) : hello)
                raw.append(client)
            }
            // Heads that stop after a part.
            for _ in 0..<128 {
                let client = try await fixture.client(port)
                try? await client.send("GET /health HTTP/1.1\r\nHo")
                half.append(client)
            }
            for round in 0..<20 {
                for client in raw { try? await client.send([hello[40 + round]]) }
                for client in half { try? await client.send("s") }
                #expect(try await fixture.client(port).request("GET", "/health").body == "well")
            }
        }
    }

    @Test("A handshake or a head that does not end within headTimeout ends its connection")
    func deadlines() async throws {
        let fixture = try await TLSFixture()
        let (hello, time) = (TLSClient.clientHello(), ManualTime())
        let change: TLSFixture.Change = { ($0.headTimeout, $0.idleTimeout) = (.seconds(5), .seconds(3_600)) }
        try await fixture.serving(TLSFixture.routes, change, clock: .manual(time)) { _, port in
            let (silent, part, whole) = (
                try await RawClient(port: port), try await RawClient(port: port), try await RawClient(port: port)
            )
            try await part.send(Array(hello.dropLast()))
            try await whole.send(hello)
            let late = try await fixture.client(port)
            try await late.send("GET / HTTP/1.1\r\nHo")
            // The type of a record: the server has sent its part of the handshake.
            try await whole.read(until: "\u{16}")
            time.advance(by: .seconds(4))
            #expect(try await fixture.client(port).request("GET", "/health").body == "well")
            let rests = try await time.advance {
                _ = try await fixture.client(port).request("GET", "/health")
            } until: {
                _ = try await whole.readToEnd()
                return try await [silent.readToEnd(), part.readToEnd(), late.readToEnd()]
            }
            #expect(rests == ["", "", ""])
        }
    }

    @Test("A plain request is answered 400 at a port with TLS, and so is a handshake at a plain port")
    func wrongProtocol() async throws {
        let fixture = try await TLSFixture()
        try await fixture.serving { _, port in
            let plain = try await RawClient(port: port)
            try await plain.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await plain.response().status == 400)
            #expect(try await plain.readToEnd().isEmpty)
        }
        #expect(fixture.events.entries.isEmpty)
        try await withServer([.immediate("/") { _ in .text("in") }]) { _, port in
            let encrypted = try await RawClient(port: port)
            try await encrypted.send(TLSClient.clientHello())
            #expect(try await encrypted.response().status == 400)
            #expect(try await encrypted.readToEnd().isEmpty)
            await #expect(throws: TLSClient.Failure.self) { _ = try await fixture.client(port) }
            #expect(try await RawClient(port: port).request("GET", "/").body == "in")
        }
    }

    /// 20,000 at a scale of 1, 200 in an ordinary run.
    @Test("Damaged ClientHellos neither stop the server nor keep a connection")
    func garbage() async throws {
        let scale = TestScale.factor(usual: 0.01)
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        let fixture = try await TLSFixture()
        let (hello, time) = (TLSClient.clientHello(), ManualTime())
        let change: TLSFixture.Change = { ($0.headTimeout, $0.idleTimeout) = (.seconds(1), .seconds(3_600)) }
        try await fixture.serving(TLSFixture.routes, change, clock: .manual(time)) { _, port in
            for round in 0..<max(200, Int(20_000 * scale)) {
                let client = try await RawClient(port: port)
                try? await client.send(Self.damaged(hello, using: &random))
                // Ended by the server, by an alert, a reset or silently.
                guard round.isMultiple(of: 20) else {
                    client.hangUp()
                    continue
                }
                _ = try await time.advance {
                    _ = try await fixture.client(port).request("GET", "/health")
                } until: {
                    try? await client.readToEnd()
                }
            }
            #expect(try await fixture.client(port).request("GET", "/health").body == "well", "seed \(seed)")
        }
    }

    /// Some bytes changed, a part removed, a part repeated, or the lengths of the record changed.
    private static func damaged(_ hello: [UInt8], using random: inout SeededGenerator) -> [UInt8] {
        var bytes = hello
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            let index = Int.random(in: 0..<bytes.count, using: &random)
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &random)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &random)
            case 2: bytes.insert(contentsOf: bytes[index...].prefix(40), at: index)
            case 3 where bytes.count > 60: bytes.removeSubrange(index..<min(bytes.count, index + 20))
            default: bytes[min(bytes.count - 1, Int.random(in: 3..<12, using: &random))] &+= 1
            }
        }
        return bytes
    }

    @Test("With every handler busy, health checks are answered, and other requests are refused")
    func reserve() async throws {
        let fixture = try await TLSFixture()
        let (entered, released) = (Event(), Event())
        let busy = HTTPRoute.get("/busy") { _ in
            entered.fire()
            await released.wait()
            return .text("done")
        }
        let change: TLSFixture.Change = {
            ($0.threads, $0.connectionLimit, $0.connectionLimitPerAddress) = (2, 32, 32)
        }
        try await fixture.serving(TLSFixture.routes + [busy], change) { _, port in
            try await withThrowingTaskGroup { group in
                for _ in 0..<30 { group.addTask { try await fixture.client(port).request("GET", "/busy").body } }
                await entered.wait(30)
                for _ in 0..<3 {
                    #expect(try await fixture.client(port).request("GET", "/health").body == "well")
                    let refused = try await fixture.client(port).request("GET", "/")
                    #expect(refused.status == 503)
                    #expect(refused.header("Retry-After") == "10")
                }
                released.fire()
                for try await body in group { #expect(body == "done") }
                #expect(try await fixture.client(port).request("GET", "/").body == "in")
            }
        }
    }

    @Test("A server with unfinished handshakes stops")
    func stop() async throws {
        let fixture = try await TLSFixture()
        let hello = TLSClient.clientHello()
        var clients: [RawClient] = []
        try await fixture.serving { _, port in
            for index in 0..<60 {
                let client = try await RawClient(port: port)
                try await client.send(index.isMultiple(of: 3) ? Array(hello.prefix(100)) : hello)
                clients.append(client)
            }
            #expect(try await fixture.client(port).request("GET", "/").body == "in")
        }
        for client in clients { _ = try? await client.readToEnd() }
    }

    @Test("A preview finds the first message of a handshake, a part of it, and other protocols")
    func preview() {
        let hello = TLSClient.clientHello()
        func preview(_ bytes: [UInt8]) -> ConnectionPreview { ConnectionPreview(bytes[...], limit: 1_000, isTLS: true) }
        #expect(preview(hello) == .arrived(path: nil))
        #expect(preview(hello + [1, 2, 3]) == .arrived(path: nil))
        for count in 0..<hello.count { #expect(preview(Array(hello.prefix(count))) == .partial) }
        let foreign: [[UInt8]] = [
            Array("GET ".utf8), [22, 2], [22, 3, 1, 0, 0, 1], [22, 3, 1, 64, 1, 1], [22, 3, 1, 0, 5, 2], [21, 3, 1],
            [0],
        ]
        for bytes in foreign { #expect(preview(bytes) == .foreign, "\(bytes)") }
        #expect(ConnectionPreview(hello[...], limit: 1_000, isTLS: false) == .foreign)
        #expect(ConnectionPreview([22], limit: 1_000, isTLS: false) == .foreign)
        let request = ArraySlice("GET /a HTTP/1.1\r\n\r\n".utf8)
        #expect(ConnectionPreview(request, limit: 1_000, isTLS: false) == .arrived(path: "/a"))
        #expect(ConnectionPreview(request.dropLast(), limit: 1_000, isTLS: false) == .partial)
    }
}

@Suite("The reserve of connections whose request is not known yet")
struct ReserveClaimTests {
    private static func at(_ milliseconds: Int) -> Instant { Instant(nanoseconds: Int64(milliseconds) * 1_000_000) }

    /// A table of 32 connections, 2 of them reserved, with `count` that work.
    private static func table(working count: Int32) -> ConnectionTable {
        let limits = ConnectionTable.Limits(connections: 32, connectionsPerAddress: 32, streams: 1, bodyBytes: 1)
        var table = ConnectionTable(limits: limits)
        for descriptor in 0..<count {
            _ = table.admit(descriptor, from: "a", isReserved: true, now: at(0))
            table.start(descriptor, now: at(0))
            #expect(table.claim(descriptor, now: at(0)) == .admitted(victim: nil))
            table.set(descriptor, .working, now: at(0))
        }
        return table
    }

    @Test("A connection in the reserve keeps it for a reserved route, and loses its claim to another one")
    func full() {
        var table = Self.table(working: 30)
        for descriptor in Int32(30)..<32 {
            #expect(table.admit(descriptor, from: "b", isReserved: true, now: Self.at(1)) == .admitted(victim: nil))
            table.start(descriptor, now: Self.at(1))
            #expect(table.claim(descriptor, now: Self.at(1)) == .full)
        }
        // Claims may be repeated, and succeed when there is room outside the reserve.
        table.remove(0)
        #expect(table.claim(30, now: Self.at(2)) == .full)
        table.remove(31)
        #expect(table.claim(30, now: Self.at(2)) == .admitted(victim: nil))
        #expect(table.count == 30)
    }

    @Test("A connection whose handshake has not ended keeps its place for the time of the grace")
    func grace() {
        var limits = ConnectionTable.Limits(connections: 1, connectionsPerAddress: 1, streams: 1, bodyBytes: 1)
        limits.receivingGrace = .milliseconds(500)
        var table = ConnectionTable(limits: limits)
        _ = table.admit(1, from: "a", isReserved: true, now: Self.at(0))
        table.start(1, now: Self.at(0))
        #expect(table.admit(2, from: "a", isReserved: true, now: Self.at(499)) == .full)
        let admitted = table.admit(2, from: "a", isReserved: true, now: Self.at(500))
        #expect(admitted == .admitted(victim: .init(descriptor: 1, isSending: false)))
    }

    @Test("The request line does not extend the time of the handshake and the head")
    func requestLine() {
        let limits = ConnectionTable.Limits(connections: 1, connectionsPerAddress: 1, streams: 1, bodyBytes: 1)
        var table = ConnectionTable(limits: limits)
        func expired(at milliseconds: Int) -> [Int32] {
            table.expired(receiving: .seconds(5), idle: .seconds(30), now: Self.at(milliseconds)).map(\.descriptor)
        }
        _ = table.admit(1, from: "a", isReserved: true, now: Self.at(0))
        table.start(1, now: Self.at(0))
        table.set(1, .receiving, now: Self.at(4_000))
        #expect(expired(at: 4_999).isEmpty)
        #expect(expired(at: 5_000) == [1])
        // A later head of a connection has the whole time.
        _ = table.admit(2, from: "a", isReserved: true, now: Self.at(5_000))
        table.start(2, now: Self.at(5_000))
        table.set(2, .working, now: Self.at(6_000))
        table.becomeIdle(2, now: Self.at(7_000))
        table.set(2, .receiving, now: Self.at(20_000))
        #expect(expired(at: 24_999).isEmpty)
        #expect(expired(at: 25_000) == [2])
    }

    @Test("A claim replaces a connection of the address that has the most, whatever has been answered")
    func largest() {
        var table = Self.table(working: 29)
        table.becomeIdle(0, now: Self.at(1))
        _ = table.admit(29, from: "b", isReserved: true, now: Self.at(1))
        table.start(29, now: Self.at(1))
        table.set(29, .idle, now: Self.at(1))
        _ = table.admit(30, from: "c", isReserved: true, now: Self.at(2))
        table.start(30, now: Self.at(2))
        #expect(table.claim(30, now: Self.at(2)) == .admitted(victim: .init(descriptor: 0, isSending: false)))
        #expect(table.count == 30)
        // If that address has none to lose, another one does.
        _ = table.admit(31, from: "c", isReserved: true, now: Self.at(3))
        table.start(31, now: Self.at(3))
        #expect(table.claim(31, now: Self.at(3)) == .admitted(victim: .init(descriptor: 29, isSending: false)))
    }

    @Test("A claim replaces a connection that does no work, but none of the reserve")
    func replaces() {
        var table = Self.table(working: 30)
        _ = table.admit(30, from: "b", isReserved: true, now: Self.at(1))
        table.start(30, now: Self.at(1))
        _ = table.admit(31, from: "b", isReserved: true, now: Self.at(1))
        table.start(31, now: Self.at(1))
        table.set(31, .idle, now: Self.at(1))
        table.set(5, .idle, now: Self.at(1))
        #expect(table.claim(30, now: Self.at(2)) == .admitted(victim: .init(descriptor: 5, isSending: false)))
        #expect(table.claim(30, now: Self.at(3)) == .admitted(victim: nil))
        #expect(table.count == 31)
        #expect(table.claim(99, now: Self.at(3)) == .admitted(victim: nil))
    }
}
