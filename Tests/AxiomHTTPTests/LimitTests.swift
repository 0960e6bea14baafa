// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import Foundation
import Testing

@Suite("Limits and malformed requests")
struct LimitTests {
    private static let route = HTTPRoute.immediate("/") { _ in .text("in") }

    @Test("At most connectionLimit connections are served at once, and the others wait for their turn")
    func connectionLimit() async throws {
        let open = Lock((now: 0, most: 0))
        let (entered, released) = (Event(), Event())
        let route = HTTPRoute.get("/") { _ in
            open.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            entered.fire()
            await released.wait()
            open.withLock { $0.now -= 1 }
            var response = HTTPResponse.text("served")
            response.closesConnection = true
            return response
        }
        try await withServer(
            [route],
            .with { ($0.threads, $0.connectionLimit, $0.connectionLimitPerAddress) = (2, 4, 4) }
        ) {
            _,
            port in
            try await withThrowingTaskGroup { group in
                for _ in 0..<12 {
                    group.addTask { try await RawClient(port: port).request("GET", "/").body }
                }
                // Two threads share the limit of four; each has at least one connection when three are in.
                await entered.wait(3)
                released.fire()
                for try await body in group { #expect(body == "served") }
            }
        }
        #expect(open.withLock { $0.most } <= 4)
        #expect(entered.count == 12)
    }

    @Test("A request beyond the limit of its address replaces the connection that has been idle longest")
    func addressLimit() async throws {
        try await withServer([Self.route], .with { ($0.threads, $0.connectionLimitPerAddress) = (1, 2) }) { _, port in
            let (one, two) = (try await RawClient(port: port), try await RawClient(port: port))
            #expect(try await one.request("GET", "/").status == 200)
            #expect(try await two.request("GET", "/").status == 200)
            #expect(try await RawClient(port: port).request("GET", "/").status == 200)
            #expect(try await one.readToEnd().isEmpty)
            #expect(try await two.request("GET", "/").status == 200)
        }
    }

    @Test("A head beyond the memory of a connection is 431 or 414")
    func longHead() async throws {
        try await withServer([Self.route], .with { $0.connectionMemoryBytes = 8_192 }) { _, port in
            let long = String(repeating: "x", count: 20_000)
            let header = try await RawClient(port: port)
            try? await header.send("GET / HTTP/1.1\r\nHost: localhost\r\nX: \(long)\r\n\r\n")
            #expect(try await header.response().status == 431)
            let target = try await RawClient(port: port)
            try? await target.send("GET /\(long) HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect([414, 431].contains(try await target.response().status))
        }
    }

    @Test(
        "A request whose length can be read in two ways is refused, and its connection closed",
        arguments: [
            "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Content-Length: +3", "Content-Length: 3, 3", "Content-Length: -1", "Content-Length: 0x3",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: identity",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        ]
    )
    func smuggling(framing: String) async throws {
        let inside = Event()
        let routes: [HTTPRoute] = [
            .post("/", maximumBodyBytes: 100) { _ in .text("taken") },
            .get("/inside") { _ in
                inside.fire()
                return .text("smuggled")
            },
        ]
        try await withServer(routes) { _, port in
            let client = try await RawClient(port: port)
            let smuggled = "GET /inside HTTP/1.1\r\nHost: localhost\r\n\r\n"
            try await client.send("POST / HTTP/1.1\r\nHost: localhost\r\n\(framing)\r\n\r\n0\r\n\r\n\(smuggled)")
            let received = (try? await client.readToEnd()) ?? ""
            #expect(received.isEmpty || received.hasPrefix("HTTP/1.1 400") || received.hasPrefix("HTTP/1.1 501"))
            #expect(!received.contains("smuggled"))
        }
        #expect(inside.count == 0)
    }

    static let malformed: [String] = [
        "\r\n\r\n", "\0\0\0\0", "GET\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/9.9\r\n\r\n",
        "GET / FTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\n: empty\r\nHost: localhost\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\n folded\r\n\r\n", "GET / HTTP/1.1\r\nHost\r\n\r\n",
        "GET /%00%0d%0a HTTP/1.1\r\nHost: localhost\r\n\r\n", "GET /\u{FF} HTTP/1.1\r\nHost: localhost\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nxx\r\n0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\n",
        "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc",
        String(repeating: "A", count: 100_000), "GET / HTTP/1.1\r\n" + String(repeating: "a: b\r\n", count: 20_000),
        "\u{16}\u{3}\u{1}\u{2}\0\u{1}\0\u{1}\u{FC}\u{3}\u{3}", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", "CONNECT localhost:1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    ]

    @Test("After malformed and incomplete requests the next client is served")
    func malformedRequests() async throws {
        try await withServer([Self.route, .post("/", maximumBodyBytes: 100) { _ in .text("taken") }]) { _, port in
            for request in Self.malformed {
                let client = try await RawClient(port: port)
                try? await client.send(request)
                client.hangUp()
                _ = try? await client.readToEnd()
                let next = try await RawClient(port: port).request("GET", "/")
                #expect(next.body == "in", "after \(request.prefix(60).debugDescription)")
            }
        }
    }

    @Test("After random bytes and randomly damaged requests the server still serves")
    func fuzz() async throws {
        var random = SeededGenerator(seed: 42)
        let whole = Array("POST /a?b=%41 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\n\r\nabc".utf8)
        let routes: [HTTPRoute] = [Self.route, .post("/a", maximumBodyBytes: 10) { _ in .text("taken") }]
        // libmicrohttpd may notice only at the idle timeout that a client left in the middle of a request.
        let roomy = HTTPServerConfiguration.with { ($0.connectionLimit, $0.connectionLimitPerAddress) = (1_000, 1_000) }
        try await withServer(routes, roomy) { _, port in
            for _ in 0..<300 {
                var bytes = whole
                for _ in 0..<Int.random(in: 1...4, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                let client = try await RawClient(port: port)
                try? await client.send(Array(bytes.prefix(.random(in: 0...bytes.count, using: &random))))
                client.hangUp()
            }
            let last = try await RawClient(port: port).request("GET", "/")
            #expect(last.body == "in")
        }
    }

    static let invalid: [(option: String, change: @Sendable (inout HTTPServerConfiguration) -> Void)] = [
        ("port", { $0.port = -1 }), ("port", { $0.port = 65_536 }), ("threads", { $0.threads = 0 }),
        ("threads", { $0.threads = 65 }), ("connectionLimit", { $0.connectionLimit = 1 }),
        ("connectionLimitPerAddress", { $0.connectionLimitPerAddress = 0 }),
        ("connectionLimitPerAddress", { $0.connectionLimitPerAddress = 257 }),
        ("waitingLimit", { $0.waitingLimit = 15 }), ("streamLimit", { $0.streamLimit = 0 }),
        ("maximumUnsentBytes", { $0.maximumUnsentBytes = 0 }), ("headTimeout", { $0.headTimeout = .zero }),
        ("headTimeout", { $0.headTimeout = .milliseconds(100) }),
        ("waitingLimit", { ($0.connectionLimit, $0.waitingLimit) = (100_000, 100_000) }),
        ("connectionMemoryBytes", { $0.connectionMemoryBytes = 100 }),
        ("maximumBodyBytes", { $0.maximumBodyBytes = -1 }), ("idleTimeout", { $0.idleTimeout = .zero }),
        ("idleTimeout", { $0.idleTimeout = .milliseconds(1_500) }),
        ("drainTimeout", { $0.drainTimeout = .seconds(-1) }),
        ("drainTimeout", { $0.drainTimeout = .seconds(301) }), ("host", { $0.host = "" }),
        ("host", { $0.host = "example.com" }), ("host", { $0.host = "127.0.0.1:80" }),
        ("allowedHosts", { $0.host = "0.0.0.0" }), ("allowedHosts", { $0.host = "::" }),
        ("allowedHosts", { $0.allowedHosts = ["http://a"] }), ("allowedHosts", { $0.allowedHosts = [""] }),
    ]

    @Test("An option outside its range stops the start with an error that names it", arguments: invalid.indices)
    func validation(index: Int) throws {
        var configuration = HTTPServerConfiguration()
        Self.invalid[index].change(&configuration)
        let server = try HTTPServer(configuration: configuration, routes: [])
        let error = #expect(throws: HTTPServerError.self) { try server.start() }
        #expect(error?.code == .invalidConfiguration)
        #expect(error?.message.contains(Self.invalid[index].option) == true, "\(error?.message ?? "")")
    }

    @Test("With allowedHosts a server listens at every address")
    func everyAddress() async throws {
        try await withServer([Self.route], .with { ($0.host, $0.allowedHosts) = ("0.0.0.0", ["metrics.internal"]) }) {
            _,
            port in
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: metrics.internal:\(port)\r\n\r\n")
            #expect(try await client.response().body == "in")
        }
    }
}
