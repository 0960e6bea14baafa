// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomHTTP

@Suite("The head in the buffer of libmicrohttpd when it has read the request line", .timeLimit(.minutes(10)))
struct BufferedHeadTests {
    private static let requestLine = "GET /healthz HTTP/1.1\r\n"

    /// Lines behind a request line, with an empty one at the end or without.
    private static func section(_ random: inout SeededGenerator) -> [UInt8] {
        let lines = ["Host: x", "X:", ":", ": x", " folded", "", "Y\r:", "GET /metrics HTTP/1.1"]
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 0...5, using: &random) {
            text += Array((lines.randomElement(using: &random) ?? "").utf8)
            text += Bool.random(using: &random) ? [13, 10] : [10]
        }
        return text
    }

    /// The memory behind the target when `section` has arrived.
    private static func memory(_ section: some Collection<UInt8>) -> [UInt8] {
        [0] + Array("HTTP/1.1\0\0".utf8) + section + [0, 0]
    }

    @Test("What it says of the lines that are there is what the preview of the whole head says")
    func likePreview() {
        for seed in 1...2_000 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let section = Self.section(&random)
            let expected: BufferedHead.Finding =
                switch RequestPreview(Array(Self.requestLine.utf8) + section, limit: .max) {
                case .partial: .partial
                case .arrived: .wellFormed
                case .malformed: .malformed
                }
            let found = BufferedHead(Self.memory(section)).finding
            let isEarly = expected == .partial && found == .malformed
            #expect(found == expected || isEarly, "seed \(seed): \(String(decoding: section, as: UTF8.self))")
        }
    }

    @Test("In any pieces, some in the buffer and the others in the socket, it finds what it finds in the whole")
    func socket() throws {
        for seed in 1...500 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let section = Self.section(&random)
            let whole = BufferedHead(Self.memory(section)).finding
            let cut = Int.random(in: 0...section.count, using: &random)
            var head = BufferedHead(Self.memory(section[..<cut]))
            let pair = try SocketPair()
            for byte in section[cut...] {
                try pair.send([byte])
                head.look(at: pair.receiver, hasEnded: false, limit: 1_000)
            }
            #expect(head.finding == whole, "seed \(seed), cut \(cut): \(String(decoding: section, as: UTF8.self))")
        }
    }

    @Test("A head that does not end is given up: at the end of the peer, at the limit, and after many pieces")
    func givenUp() throws {
        let pair = try SocketPair()
        try pair.send(Array("X: y".utf8))
        var ended = BufferedHead(Self.memory([]))
        ended.look(at: pair.receiver, hasEnded: true, limit: 1_000)
        #expect(ended.finding == .unseen)
        var long = BufferedHead(Self.memory([]))
        long.look(at: pair.receiver, hasEnded: false, limit: 4)
        #expect(long.finding == .unseen)
        var slow = BufferedHead(Self.memory([]))
        for _ in 0..<PendingConnections.maximumPieces { slow.look(at: pair.receiver, hasEnded: false, limit: 1_000) }
        #expect(slow.finding == .partial)
        slow.look(at: pair.receiver, hasEnded: false, limit: 1_000)
        #expect(slow.finding == .unseen)
    }

    @Test("A zero within the lines is malformed; behind the head it is not looked at")
    func zero() {
        #expect(BufferedHead(Self.memory("Host: x\r\n\0\r\n\r\n".utf8)).finding == .malformed)
        #expect(BufferedHead(Self.memory("Host: x\r\n\r\n\0a".utf8)).finding == .wellFormed)
        #expect(BufferedHead(Self.memory([])).finding == .partial)
        #expect(BufferedHead([]).finding == .partial)
        // Memory without a zero is longer than a head may be.
        #expect(BufferedHead(Self.memory("Host: x".utf8).dropLast(2)).finding == .unseen)
    }

    private static let routes = ["/healthz", "/metrics"].map { path in
        HTTPRoute.immediate(path) { _ in .text(path) }
    }

    private static let hidden = "Host: localhost\r\n:\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"

    @Test("A line without a name that arrives later than the request line has at most one answer")
    func pieces() async throws {
        try await withServer(Self.routes) { _, port in
            for seed in 1...30 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                let client = try await RawClient(port: port)
                #expect(try await client.request("GET", "/healthz").body == "/healthz")
                let rest = Array(Self.hidden.utf8)
                let cut = Int.random(in: 0...20, using: &random)
                try await client.send(Array(Self.requestLine.utf8) + rest[..<cut])
                // The server may have closed the connection by then.
                try? await client.send(Array(rest[cut...]))
                let (answer, _) = try await client.readToEndOrReset()
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count <= 2, "seed \(seed): \(answer)")
                #expect(!answer.contains("/metrics"), "seed \(seed): \(answer)")
            }
        }
    }

    @Test("Over TLS, the first request with the least memory has one answer, too")
    func piecesOverTLS() async throws {
        let fixture = try await TLSFixture()
        let leastMemory: TLSFixture.Change = { $0.connectionMemoryBytes = 4_096 }
        try await fixture.serving(Self.routes, leastMemory) { _, port in
            for cut in [0, 5, 17, 18] {
                let client = try await fixture.client(port)
                let rest = String(Self.hidden.dropFirst(cut))
                try await client.send(Self.requestLine + String(Self.hidden.prefix(cut)))
                try? await client.send(rest)
                let answer = try await client.readToEndOrReset()
                #expect(answer.components(separatedBy: "HTTP/1.1 ").count <= 2, "\(cut): \(answer)")
                #expect(!answer.contains("/metrics"), "\(cut): \(answer)")
            }
        }
    }

    @Test("A head of any length that arrives in any two pieces is answered, and the connection stays open")
    func long() async throws {
        try await withServer(Self.routes) { _, port in
            let client = try await RawClient(port: port)
            for seed in 1...20 as ClosedRange<UInt64> {
                var random = SeededGenerator(seed: seed)
                let length = Int.random(in: 0...20_000, using: &random)
                let head =
                    "GET /metrics HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "a", count: length))\r\n\r\n"
                let cut = Int.random(in: 1..<head.utf8.count, using: &random)
                try await client.send(String(head.prefix(cut)))
                try await client.send(String(head.dropFirst(cut)))
                let answer = try await client.response()
                #expect(answer.body == "/metrics" && answer.header("Connection") == nil, "seed \(seed): \(answer)")
            }
        }
    }

    @Test("A request line of any length is answered, also if it ends at the end of a page of memory")
    func pages() async throws {
        let route = HTTPRoute.immediate("/{part}") { .text("\($0.parameters["part"]?.count ?? 0)") }
        try await withServer([route]) { _, port in
            let client = try await RawClient(port: port)
            for length in [4_060...4_120, 8_160...8_210].joined() {
                #expect(
                    try await client.request("GET", "/\(String(repeating: "x", count: length))").body == "\(length)"
                )
            }
        }
    }

    @Test("A hidden line is refused behind a request line of any length, and a zero is, in any two pieces")
    func hiddenBehindLongLines() async throws {
        let route = HTTPRoute.immediate("/{part}") { .text("\($0.parameters["part"]?.count ?? 0)") }
        let lines = ["Host: localhost\r\n:\n", "Host: localhost\r\n\0\n"]
        try await withServer([route] + Self.routes) { _, port in
            for (number, length) in (4_074...4_096).enumerated() {
                for line in lines {
                    let client = try await RawClient(port: port)
                    #expect(try await client.request("GET", "/healthz").body == "/healthz")
                    let path = String(repeating: "x", count: number.isMultiple(of: 2) ? length : 10)
                    let head = "GET /\(path) HTTP/1.1\r\n\(line)"
                    try await client.send(String(head.dropLast()))
                    // The answer of another connection shows that the server has had time to read.
                    #expect(try await RawClient(port: port).request("GET", "/healthz").body == "/healthz")
                    try? await client.send("\nGET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\nX: y\r\n\r\n")
                    let (answer, _) = try await client.readToEndOrReset()
                    #expect(answer.components(separatedBy: "HTTP/1.1 ").count <= 2, "\(length): \(answer)")
                    #expect(!answer.contains("/metrics"), "\(length): \(answer)")
                }
            }
        }
    }

    @Test("Lines before a request that fill the memory of the connection do no harm")
    func emptyLines() async throws {
        try await withServer(Self.routes) { _, port in
            for count in [1, 2_047, 2_048, 2_049, 9_000, 17_000, 18_400] {
                let client = try await RawClient(port: port)
                #expect(try await client.request("GET", "/healthz").body == "/healthz")
                let long = String(repeating: "x", count: 36_000 - 2 * min(count, 17_900))
                let rest = "GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nX: \(long)"
                try? await client.send(String(repeating: "\r\n", count: count) + rest)
                try? await client.send("\r\n\r\n")
                _ = try await client.readToEndOrReset()
                #expect(try await RawClient(port: port).request("GET", "/healthz").body == "/healthz")
            }
        }
    }

    @Test("A server that stops while a head is missing ends its connection")
    func stops() async throws {
        let routes = Self.routes
        var client: RawClient?
        try await withServer(routes) { _, port in
            client = try await RawClient(port: port)
            #expect(try await client?.request("GET", "/healthz").body == "/healthz")
            try await client?.send(Self.requestLine + "Host: x")
            // The answer of another connection shows that the server has had time to read.
            #expect(try await RawClient(port: port).request("GET", "/healthz").body == "/healthz")
        }
        _ = try await client?.readToEndOrReset()
    }

    @Test("A head that is not complete in time ends its connection, as the first one of a connection does")
    func late() async throws {
        try await withServer(Self.routes, .with { $0.headTimeout = .seconds(1) }) { _, port in
            let client = try await Self.kept(port)
            try await client.send(Self.requestLine + "Host: x")
            let (answer, _) = try await client.readToEndOrReset()
            #expect(!answer.contains("200"))
        }
    }

    /// A connection whose first request was answered. If the machine is busy, the request itself may come too late.
    private static func kept(_ port: Int) async throws -> RawClient {
        for _ in 0..<20 {
            let client = try await RawClient(port: port)
            if let answer = try? await client.request("GET", "/healthz"), answer.body == "/healthz" { return client }
        }
        throw RawClient.Failure.closed
    }
}

/// Two connected sockets.
private final class SocketPair {
    let receiver: CInt
    private let sender: CInt

    init() throws {
        var ends: [CInt] = [-1, -1]
        let type = SocketType.stream
        guard socketpair(AF_UNIX, type, 0, &ends) == 0 else { throw RawClient.Failure.cannotConnect(errno) }
        (receiver, sender) = (ends[0], ends[1])
    }

    deinit { for descriptor in [receiver, sender] { close(descriptor) } }

    func send(_ bytes: [UInt8]) throws {
        guard write(sender, bytes, bytes.count) == bytes.count else { throw RawClient.Failure.error(errno) }
    }
}
