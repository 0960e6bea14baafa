// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import Testing

@Suite("Serving")
struct ServingTests {
    private static let hello: [HTTPRoute] = [
        .get("/hello") { _ in .text("hello") },
        .immediate("/now") { _ in .text("now") },
        .get("/orders/{id}") { request in .text(request.parameters["id"] ?? "?") },
        .get("/orders/new") { _ in .text("the form") },
        .post("/orders", maximumBodyBytes: 1_000) { request in
            HTTPResponse(status: .created, body: request.body.reversed())
        },
        .get("/echo") { request in
            .text(request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ";"))
        },
        .get("/peer") { request in .text("\(request.peerAddress) \(request.headers["x-TEST"] ?? "")") },
    ]

    @Test(
        "A GET gets status, headers and body, with a Date and without a Server header",
        arguments: ["/hello", "/now"]
    )
    func get(path: String) async throws {
        try await withServer(Self.hello) { _, port in
            let response = try await RawClient(port: port).request("GET", path)
            #expect(response.status == 200)
            #expect(response.body == String(path.dropFirst()))
            #expect(response.header("Content-Type") == "text/plain; charset=utf-8")
            #expect(response.header("Date") != nil)
            #expect(response.header("Server") == nil)
        }
    }

    @Test("A HEAD gets the headers of the GET, including Content-Length, and no body", arguments: ["/hello", "/now"])
    func head(path: String) async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            let get = try await client.request("GET", path)
            let head = try await client.request("HEAD", path)
            // A body that slipped out would be read as the beginning of the next response.
            let again = try await client.request("GET", path)
            #expect(head.body.isEmpty)
            #expect(head.header("Content-Length") == "\(get.body.utf8.count)")
            #expect(head.header("Content-Type") == get.header("Content-Type"))
            #expect(again.body == get.body)
        }
    }

    @Test("An unknown path is 404, a known one with another method 405 with Allow, and the connection stays")
    func unknown() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            #expect(try await client.request("GET", "/nothing").status == 404)
            let refused = try await client.request("DELETE", "/hello")
            #expect(refused.status == 405)
            #expect(refused.header("Allow") == "GET, HEAD")
            #expect(try await client.request("GET", "/orders").header("Allow") == "POST")
            #expect(try await client.request("GET", "/hello").status == 200)
        }
    }

    @Test("A parameter matches one decoded part, and a literal part takes precedence")
    func parameters() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            #expect(try await client.request("GET", "/orders/a%2Fb%20c").body == "a/b c")
            #expect(try await client.request("GET", "/orders/new").body == "the form")
            #expect(try await client.request("GET", "/orders/1/2").status == 404)
            #expect(try await client.request("GET", "/orders/").status == 404)
        }
    }

    @Test("Query names may repeat, keep their order and are decoded; broken escapes are 400")
    func query() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            let body = try await client.request("GET", "/echo?name=a&name=b+c&x=%C3%A9&flag").body
            #expect(body == "name=a;name=b c;x=é;flag=")
            for target in [
                "/echo?x=%", "/echo?x=%zz", "/echo?x=%ff", "/%00", "/hello%0d%0aX:1", "*", "https://localhost/hello",
                "http:///hello",
            ] {
                #expect(try await client.request("GET", target).status == 400, "\(target)")
            }
        }
    }

    @Test("A target in absolute form is served if its host is allowed and equals the Host header")
    func absoluteForm() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            func status(_ target: String, host: String) async throws -> Int {
                try await client.send("GET \(target) HTTP/1.1\r\nHost: \(host)\r\n\r\n")
                return try await client.response().status
            }
            #expect(try await status("http://localhost/hello", host: "localhost") == 200)
            #expect(try await status("HTTP://LocalHost:\(port)/hello?a=b", host: "localhost:\(port)") == 200)
            #expect(try await status("http://localhost", host: "localhost") == 404)
            #expect(try await status("http://localhost/hello", host: "127.0.0.1") == 400)
            #expect(try await status("http://evil.example/hello", host: "localhost") == 400)
            #expect(try await status("http://evil.example/hello", host: "evil.example") == 403)
            try await client.send("GET http://evil.example/hello HTTP/1.0\r\n\r\n")
            #expect(try await client.response().status == 403)
        }
    }

    @Test("Header names are case-insensitive, and a request has the peer's address")
    func headersAndPeer() async throws {
        try await withServer(Self.hello) { _, port in
            let response = try await RawClient(port: port).request("GET", "/peer", headers: "X-Test: 7\r\n")
            #expect(response.body == "127.0.0.1 7")
        }
    }

    @Test("A body up to its limit arrives complete, with a length or in chunks")
    func bodies() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            let posted = try await client.request("POST", "/orders", body: "abc")
            #expect(posted.status == 201)
            #expect(posted.body == "cba")
            let chunks = "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
            try await client.send("POST /orders HTTP/1.1\r\nHost: localhost\r\n\(chunks)")
            #expect(try await client.response().body == "edcba")
            let longest = String(repeating: "x", count: 1_000)
            #expect(try await client.request("POST", "/orders", body: longest).body == longest)
        }
    }

    @Test("A body beyond the limit is answered 413, with a length or in chunks, also on a route without a body")
    func tooLarge() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            let long = String(repeating: "x", count: 1_001)
            #expect(try await client.request("POST", "/orders", body: long).status == 413)
            let chunked = "Transfer-Encoding: chunked\r\n\r\n3e9\r\n\(long)\r\n0\r\n\r\n"
            try await client.send("POST /orders HTTP/1.1\r\nHost: localhost\r\n\(chunked)")
            #expect(try await client.response().status == 413)
            #expect(try await client.request("GET", "/hello", body: "x").status == 413)
            #expect(try await client.request("GET", "/hello").status == 200)
            // Announced, and never sent: the answer does not wait for it.
            try await client.send("POST /orders HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999\r\n\r\n")
            #expect(try await client.response().status == 413)
        }
    }

    @Test("A thousand requests over one connection get the right bodies")
    func keepAlive() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            for index in 0..<500 {
                #expect(try await client.request("GET", "/orders/\(index)").body == "\(index)")
                #expect(try await client.request("GET", "/now").body == "now")
            }
        }
    }

    @Test("Pipelined requests are answered in order")
    func pipelining() async throws {
        try await withServer(Self.hello) { _, port in
            let client = try await RawClient(port: port)
            let requests = (0..<20).map { "GET /orders/\($0) HTTP/1.1\r\nHost: localhost\r\n\r\n" }
            try await client.send(requests.joined())
            for index in 0..<20 { #expect(try await client.response().body == "\(index)") }
        }
    }

    @Test("Fifty concurrent clients each get their own responses")
    func concurrent() async throws {
        try await withServer(Self.hello) { _, port in
            try await withThrowingTaskGroup { group in
                for client in 0..<50 {
                    group.addTask {
                        let connection = try await RawClient(port: port)
                        for index in 0..<20 {
                            let id = "\(client)-\(index)"
                            #expect(try await connection.request("GET", "/orders/\(id)").body == id)
                        }
                    }
                }
                try await group.waitForAll()
            }
        }
    }

    @Test("A large shared body arrives complete, any number of times")
    func largeBody() async throws {
        let body = HTTPBody((0..<600_000).map { UInt8(ascii: "a") + UInt8($0 % 26) })
        let expected = String(decoding: body.bytes, as: UTF8.self)
        try await withServer([.immediate("/large") { _ in HTTPResponse(body: body) }]) { _, port in
            let client = try await RawClient(port: port)
            for _ in 0..<3 { #expect(try await client.request("GET", "/large").body == expected) }
        }
    }

    @Test("The IPv6 loopback is served under its own name")
    func ipv6() async throws {
        try await withServer(Self.hello, .with { $0.host = "::1" }) { _, port in
            let client = try await RawClient(port: port, host: "::1")
            try await client.send("GET /peer HTTP/1.1\r\nHost: [::1]:\(port)\r\n\r\n")
            #expect(try await client.response().body == "::1 ")
        }
    }
}
