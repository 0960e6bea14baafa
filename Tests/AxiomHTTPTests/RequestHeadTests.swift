// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import Testing

/// No client of these tests hangs up, so that a request which is left without an answer shows as a failure: the
/// client's patience and the server's idle timeout are far above what an answer takes.
@Suite("Heads of requests that are long or have many parts")
struct RequestHeadTests {
    private static let route = HTTPRoute.immediate("/") { .text("\($0.query.count)") }

    private static func status(of request: String, port: Int) async throws -> Int {
        let client = try await RawClient(port: port)
        // The server may answer and close before it has read all.
        try? await client.send(request)
        return try await client.response().status
    }

    @Test(
        "A query may have as many items as fit",
        arguments: [
            (100, "name[]=x&"), (600, "name[]=x&"), (3_000, "name[]=x&"), (5_000, "a&"), (15_000, "&"), (600, "?&"),
        ]
    )
    func manyItems(count: Int, item: String) async throws {
        try await withServer([Self.route]) { _, port in
            let query = String(repeating: item, count: count)
            let client = try await RawClient(port: port)
            for _ in 0..<2 {
                let response = try await client.request("GET", "/?\(query)")
                #expect(response.status == 200)
                #expect(response.body == "\(item == "&" ? 0 : count)")
            }
        }
    }

    @Test("A query beyond the memory of a connection is 414 at once", arguments: [5_000, 50_000])
    func tooManyItems(count: Int) async throws {
        try await withServer([Self.route]) { _, port in
            let request = "GET /?\(String(repeating: "name[]=x&", count: count)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
            let status = try await Self.status(of: request, port: port)
            #expect(status == 414)
        }
    }

    @Test("A target of 16 kB is served, as a path and as a query")
    func longTarget() async throws {
        let route = HTTPRoute.immediate("/{part}") { .text("\($0.parameters["part"]?.count ?? 0)") }
        try await withServer([Self.route, route]) { _, port in
            let client = try await RawClient(port: port)
            let long = String(repeating: "x", count: 16_000)
            #expect(try await client.request("GET", "/\(long)").body == "16000")
            #expect(try await client.request("GET", "/?\(long)").body == "1")
        }
    }

    @Test("What follows the first question mark is the query, further question marks and escapes included")
    func questionMarks() async throws {
        let route = HTTPRoute.immediate("/a") { request in
            .text(request.query.map { "\($0.name)=\($0.value)" }.joined(separator: ";"))
        }
        try await withServer([route]) { _, port in
            let client = try await RawClient(port: port)
            #expect(try await client.request("GET", "/a?b?c=d?e&%3F=%3F&?").body == "b?c=d?e;?=?;?=")
            #expect(try await client.request("GET", "/a?").body.isEmpty)
        }
    }

    @Test("A body is read behind a head of any length whose last field is its length, also if it begins with a space")
    func bodyBehindLongHead() async throws {
        let route = HTTPRoute.post("/", maximumBodyBytes: 100) { .text(String(decoding: $0.body, as: UTF8.self)) }
        try await withServer([route]) { _, port in
            let client = try await RawClient(port: port)
            for length in Array(stride(from: 16_000, through: 20_000, by: 200)) {
                let long = String(repeating: "x", count: length)
                #expect(
                    try await client.request("POST", "/", headers: "X: \(long)\r\n", body: " a\r\n").body == " a\r\n"
                )
            }
        }
    }

    /// From some length on the head leaves no room for the answer in the connection's memory, and then does not fit.
    static let heads: [(part: String, make: @Sendable (Int) -> String)] = [
        ("path", { "GET /\(String(repeating: "x", count: $0)) HTTP/1.1\r\nHost: localhost\r\n\r\n" }),
        ("items", { "GET /?\(String(repeating: "a&", count: $0 / 2)) HTTP/1.1\r\nHost: localhost\r\n\r\n" }),
        ("header", { "GET / HTTP/1.1\r\nHost: localhost\r\nX: \(String(repeating: "x", count: $0))\r\n\r\n" }),
        ("headers", { "GET / HTTP/1.1\r\nHost: localhost\r\n\(String(repeating: "a:b\r\n", count: $0 / 75))\r\n" }),
        ("cookie", { "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a=\(String(repeating: "b", count: $0))\r\n\r\n" }),
        (
            "cookies",
            { "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: \(String(repeating: "a=b;", count: $0 / 80))\r\n\r\n" }
        ),
    ]

    @Test("Every head is answered, however close to the limit it is", arguments: heads.indices)
    func everyLength(index: Int) async throws {
        try await withServer([Self.route], .with { $0.connectionMemoryBytes = 4_096 }) { _, port in
            var seen: Set<Int> = []
            for length in stride(from: 1_000, to: 10_000, by: 250) + stride(from: 8_000, to: 8_200, by: 16) {
                let status: Int
                do {
                    status = try await Self.status(of: Self.heads[index].make(length), port: port)
                } catch RawClient.Failure.closed where Self.heads[index].part == "cookie" {
                    // libmicrohttpd copies a cookie before it calls the server, and closes the connection if no memory is left.
                    continue
                }
                #expect(
                    [200, 404, 414, 431].contains(status),
                    "\(Self.heads[index].part) of \(length) bytes: \(status)"
                )
                seen.insert(status)
            }
            #expect(seen.count > 1)
        }
    }
}

private func + (left: StrideTo<Int>, right: StrideTo<Int>) -> [Int] { Array(left) + Array(right) }
