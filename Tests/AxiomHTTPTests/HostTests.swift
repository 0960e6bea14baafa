// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import Testing

@Suite("The Host header")
struct HostTests {
    private static let route: [HTTPRoute] = [.immediate("/") { _ in .text("in") }]

    private static func status(_ host: String, port: Int) async throws -> Int {
        let client = try await RawClient(port: port)
        try await client.send("GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n")
        return try await client.response().status
    }

    private static func expect(
        _ status: Int,
        for hosts: [String],
        port: Int,
        _ location: SourceLocation = #_sourceLocation
    ) async throws {
        for host in hosts {
            let answered = try await Self.status(host, port: port)
            #expect(answered == status, "\(host)", sourceLocation: location)
        }
    }

    @Test("Loopback names with the server's port or none are answered, and everything else is forbidden")
    func loopback() async throws {
        try await withServer(Self.route) { _, port in
            let own = ["localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.1.2.3", "[::1]"]
            try await Self.expect(200, for: own, port: port)
            try await Self.expect(200, for: own.map { "\($0):\(port)" }, port: port)
            try await Self.expect(403, for: own.map { "\($0):80" }, port: port)
            let foreign = [
                "evil.example", "localhost.evil.example", "127.0.0.1.evil.example", "10.0.0.1", "[::2]", "localhost:",
                "localhost:99999", "2130706433", "a+b", "%6cocalhost", "",
            ]
            try await Self.expect(403, for: foreign, port: port)
            try await Self.expect(400, for: Self.malformed + ["127.0.0.1:\(port)x"], port: port)
        }
    }

    /// Neither a name nor an address; `K` is the sign of Kelvin, whose lower case is an ASCII letter.
    private static let malformed = [
        "localhost:x", "[::1", "[::1]x", "a b", "user@localhost", "localhost/", "http://localhost", "localhost?a",
        "a:b:c",
        "\u{212A}afka", "é",
    ]

    @Test("The response to a refused host names the option that would allow it")
    func refusal() async throws {
        try await withServer(Self.route) { _, port in
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n")
            let response = try await client.response()
            #expect(response.status == 403)
            #expect(response.body.contains("allowedHosts"))
        }
    }

    @Test("HTTP/1.1 requires exactly one Host header; HTTP/1.0 requires none")
    func missing() async throws {
        try await withServer(Self.route) { _, port in
            for hosts in ["", "Host: localhost\r\nHost: evil.example\r\n"] {
                let client = try await RawClient(port: port)
                #expect(try await client.request("GET", "/").status == 200)
                try await client.send("GET / HTTP/1.1\r\n\(hosts)\r\n")
                #expect(try await client.response().status == 400)
                #expect(try await client.readToEnd().isEmpty)
            }
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try await client.response().status == 200)
        }
    }

    @Test("allowedHosts adds names, with any port or with one, and * adds all")
    func allowed() async throws {
        try await withServer(Self.route, .with { $0.allowedHosts = ["metrics.internal", "Proxy.Example:8443"] }) {
            _,
            port in
            try await Self.expect(200, for: ["metrics.internal"], port: port)
            try await Self.expect(200, for: ["METRICS.internal:1"], port: port)
            try await Self.expect(200, for: ["proxy.example:8443"], port: port)
            try await Self.expect(403, for: ["proxy.example:8444"], port: port)
            try await Self.expect(200, for: ["localhost"], port: port)
        }
        try await withServer(Self.route, .with { $0.allowedHosts = ["*"] }) { _, port in
            try await Self.expect(200, for: ["whatever.example", "a+b", "localhost:", ""], port: port)
            try await Self.expect(400, for: Self.malformed, port: port)
        }
    }

    @Test("A health check answers any well-formed host, because a supervisor names an address of its own")
    func health() async throws {
        let routes: [HTTPRoute] = [
            HTTPRoute.immediate("/healthz") { _ in .text("ok") }.healthCheck(),
            HTTPRoute.immediate("/metrics") { _ in .text("m") }.reserved(),
        ]
        try await withServer(routes) { _, port in
            for (host, status) in [
                ("10.244.1.7:9464", 200), ("pod.example", 200), ("localhost", 200), ("a b", 400), ("a/b", 400),
            ] {
                let client = try await RawClient(port: port)
                try await client.send("GET /healthz HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                #expect(try await client.response().status == status, "\(host)")
            }
            for path in ["/metrics", "/healthz/", "/healthzz"] {
                let client = try await RawClient(port: port)
                try await client.send("GET \(path) HTTP/1.1\r\nHost: 10.244.1.7\r\n\r\n")
                #expect(try await client.response().status == 403, "\(path)")
            }
        }
    }
}
