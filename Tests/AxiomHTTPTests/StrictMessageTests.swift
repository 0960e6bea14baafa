// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AxiomHTTP

/// Requests that RFC 9112 and RFC 9110 say something about, each with the statuses of all responses to it and to an
/// ordinary request that follows on the same connection.
@Suite("Requests by the letter of RFC 9112", .timeLimit(.minutes(10)))
struct StrictMessageTests {
    private static let routes: [HTTPRoute] = [
        .immediate("/") { _ in .text("in") }, .post("/", maximumBodyBytes: 100) { .text("\($0.body.count)") },
    ]

    struct Case: Sendable, CustomTestStringConvertible {
        let what: String
        let request: String
        /// The final statuses in order. The connection is closed if there is no 200 at the end.
        let statuses: [Int]

        init(_ what: String, _ request: String, _ statuses: Int...) {
            self.init(what, request, statuses)
        }

        init(_ what: String, _ request: String, _ statuses: [Int]) {
            (self.what, self.request, self.statuses) = (what, request, statuses)
        }

        var testDescription: String { what }
    }

    private static func get(_ fields: String, version: String = "HTTP/1.1", target: String = "/") -> String {
        "GET \(target) \(version)\r\n\(fields)\r\n"
    }

    private static func post(_ fields: String, _ body: String, version: String = "HTTP/1.1") -> String {
        "POST / \(version)\r\nHost: localhost\r\n\(fields)\r\n\(body)"
    }

    private static func chunked(_ body: String) -> String { post("Transfer-Encoding: chunked\r\n", body) }

    static let lengths: [Case] = [
        Case("two equal lengths", post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"), 400),
        Case("two different lengths", post("Content-Length: 3\r\nContent-Length: 4\r\n", "abc"), 400),
        Case("a list of equal lengths", post("Content-Length: 3, 3\r\n", "abc"), 400),
        Case("a length with a sign", post("Content-Length: +3\r\n", "abc"), 400),
        Case("a hexadecimal length", post("Content-Length: 0x3\r\n", "abc"), 400),
        Case("a length in other digits", post("Content-Length: \u{663}\r\n", "abc"), 400),
        Case("a length of 2^64", post("Content-Length: 18446744073709551616\r\n", "abc"), 413),
        Case("a length of 2^63", post("Content-Length: 9223372036854775808\r\n", "abc"), 400),
        Case("a length above the limit", post("Content-Length: 1000000\r\n", ""), 413),
        Case("a length with zeros before", post("Content-Length: 0003\r\n", "abc"), 200, 200),
        Case("a coding and a length", post("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n", "0\r\n\r\n"), 400),
        Case("a coding that does not end in chunked", post("Transfer-Encoding: chunked, gzip\r\n", "0\r\n\r\n"), 400),
        Case("the coding identity", post("Transfer-Encoding: identity\r\n", "abc"), 400),
        Case("chunked twice", post("Transfer-Encoding: chunked, chunked\r\n", "0\r\n\r\n"), 400),
        Case(
            "chunked in two fields",
            post("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
            400
        ),
        Case("chunked with a parameter", post("Transfer-Encoding: chunked;a=b\r\n", "0\r\n\r\n"), 400),
        Case("a space behind chunked", post("Transfer-Encoding: chunked \r\n", "0\r\n\r\n"), 400),
        Case("a tab behind chunked", post("Transfer-Encoding: chunked\t\r\n", "0\r\n\r\n"), 400),
        Case("chunked and a control character", post("Transfer-Encoding: \u{b}chunked\r\n", "0\r\n\r\n"), 400),
        Case("an empty coding", post("Transfer-Encoding:\r\n", "0\r\n\r\n"), 400),
        Case("an unknown coding before chunked", post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"), 501),
        Case("a coding in capitals", post("Transfer-Encoding: CHUNKED\r\n", "3\r\nabc\r\n0\r\n\r\n"), 200, 200),
        Case(
            "a coding in HTTP/1.0",
            post("Connection: keep-alive\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n", version: "HTTP/1.0"),
            400
        ),
        Case(
            "an unknown coding in HTTP/1.0",
            post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n", version: "HTTP/1.0"),
            400
        ),
        Case("a coding of a GET", get("Host: localhost\r\nTransfer-Encoding: chunked\r\n") + "0\r\n\r\n", 200, 200),
    ]

    private static let withExtension = TestedLibrary.running == .v1_0_1 ? [400] : [200, 200]

    static let chunks: [Case] = [
        Case("a chunk and a trailer", chunked("3\r\nabc\r\n0\r\nX: 1\r\n\r\n"), 200, 200),
        Case("a trailer that looks like framing", chunked("0\r\nContent-Length: 5\r\n\r\n"), 200, 200),
        Case("a size with zeros before", chunked("0003\r\nabc\r\n0\r\n\r\n"), 200, 200),
        Case("a size in capitals", chunked("A\r\n0123456789\r\n0\r\n\r\n"), 200, 200),
        Case("an extension of a chunk of data", chunked("3;a=\"b;c\"\r\nabc\r\n0\r\n\r\n"), withExtension),
        Case("an extension of the last chunk", chunked("3\r\nabc\r\n0;last\r\n\r\n"), withExtension),
        Case("extensions of chunks", chunked("3;a=\"b;c\"\r\nabc\r\n0;last\r\n\r\n"), withExtension),
        Case("a size that is no number", chunked("x\r\nabc\r\n0\r\n\r\n"), 400),
        Case("a size with a sign", chunked("+3\r\nabc\r\n0\r\n\r\n"), 400),
        Case("a negative size", chunked("-3\r\nabc\r\n0\r\n\r\n"), 400),
        Case("a size with 0x", chunked("0x3\r\nabc\r\n0\r\n\r\n"), 400),
        Case("an empty size", chunked("\r\nabc\r\n0\r\n\r\n"), 400),
        Case("a size of 2^64", chunked("10000000000000000\r\nabc\r\n0\r\n\r\n"), 413),
        Case("a size of 17 digits", chunked("fffffffffffffffff\r\nabc\r\n0\r\n\r\n"), 413),
        Case("data beyond the size", chunked("3\r\nabcd\r\n0\r\n\r\n"), 400),
    ]

    static let hosts: [Case] = [
        Case("no host", get(""), 400),
        Case("two hosts", get("Host: localhost\r\nHost: localhost\r\n"), 400),
        Case("an empty host", get("Host:\r\n"), 403, 200),
        Case("a blank in the host", get("Host: local host\r\n"), 400, 200),
        Case("a path in the host", get("Host: localhost/a\r\n"), 400, 200),
        Case("a user in the host", get("Host: user@localhost\r\n"), 400, 200),
        Case("a query in the host", get("Host: localhost?a\r\n"), 400, 200),
        Case("two hosts in one field", get("Host: localhost, localhost\r\n"), 400, 200),
        Case("a port that is no number", get("Host: localhost:x\r\n"), 400, 200),
        Case("an open bracket", get("Host: [::1\r\n"), 400, 200),
        Case("letters that are not ASCII", get("Host: loca\u{131}host\r\n"), 400, 200),
        Case("a scheme in the host", get("Host: http://localhost\r\n"), 400, 200),
        Case("a foreign host", get("Host: evil.example\r\n"), 403, 200),
        Case("an HTTP/1.0 request without a host", get("", version: "HTTP/1.0"), 200),
    ]

    static let targets: [Case] = [
        Case("absolute form", get("Host: localhost\r\n", target: "http://localhost/"), 200, 200),
        Case("absolute form of another host", get("Host: localhost\r\n", target: "http://evil.example/"), 400, 200),
        Case("absolute form with a user", get("Host: a@localhost\r\n", target: "http://a@localhost/"), 400, 200),
        Case("absolute form of another scheme", get("Host: localhost\r\n", target: "ftp://localhost/"), 400, 200),
        Case("absolute form without a host", get("Host: localhost\r\n", target: "http:///"), 400, 200),
        Case("authority form", "CONNECT localhost:80 HTTP/1.1\r\nHost: localhost:80\r\n\r\n", 403, 200),
        Case("authority form of this host", "CONNECT localhost HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, 200),
        Case("asterisk form", "OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n", 400, 200),
        Case("a tab", get("Host: localhost\r\n", target: "/a\tb"), 400),
        Case("another control character", get("Host: localhost\r\n", target: "/a\u{b}b"), 400),
        Case("no slash", get("Host: localhost\r\n", target: "metrics"), 400, 200),
        Case("a fragment", get("Host: localhost\r\n", target: "/#a"), 400, 200),
        Case("an escaped zero", get("Host: localhost\r\n", target: "/%00"), 400, 200),
        Case("an escape without digits", get("Host: localhost\r\n", target: "/%zz"), 400, 200),
        Case("bytes that are not UTF-8", get("Host: localhost\r\n", target: "/%ff"), 400, 200),
        Case("dots", get("Host: localhost\r\n", target: "/../../etc/passwd"), 404, 200),
        Case("a method in small letters", "get / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, 200),
        Case("an unknown method", "BREW / HTTP/1.1\r\nHost: localhost\r\n\r\n", 405, 200),
        Case("a method that is no token", "G(T / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        Case("a version of two", get("Host: localhost\r\n", version: "HTTP/2.0"), 505),
        Case("a version in small letters", get("Host: localhost\r\n", version: "http/1.1"), 400),
        Case("a version without a point", get("Host: localhost\r\n", version: "HTTP/1"), 400),
        Case("a version of two digits", get("Host: localhost\r\n", version: "HTTP/1.10"), 400),
        Case("a request of HTTP/0.9", "GET /\r\n\r\n", 400),
        Case("tabs between the parts of the line", "GET\t/\tHTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
        Case("a blank before the line", " GET / HTTP/1.1\r\nHost: localhost\r\n\r\n", 400),
    ]

    static let expectations: [Case] = [
        Case("100-continue", post("Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"), 200, 200),
        Case("100-continue in capitals", post("Expect: 100-Continue\r\nContent-Length: 3\r\n", "abc"), 200, 200),
        Case("100-continue of a refused body", post("Expect: 100-continue\r\nContent-Length: 5000\r\n", ""), 413),
        Case("100-continue without a body", get("Host: localhost\r\nExpect: 100-continue\r\n"), 200),
        Case("100-continue with a length of zero", post("Expect: 100-continue\r\nContent-Length: 0\r\n", ""), 200),
        Case("an unknown expectation", post("Expect: tea\r\nContent-Length: 3\r\n", "abc"), 200, 200),
        Case(
            "two requests at once",
            get("Host: localhost\r\n") + post("Content-Length: 3\r\n", "abc") + get("Host: localhost\r\n"),
            200,
            200,
            200,
            200
        ),
        Case("a refused one of two", get("Host: evil.example\r\n") + get("Host: localhost\r\n"), 403, 200, 200),
        Case("one behind a request that closes", get("Host: localhost\r\nConnection: close\r\n"), 200),
    ]

    @Test("A request has exactly these responses", arguments: lengths + chunks + hosts + targets + expectations)
    func responses(example: Case) async throws {
        try await withServer(Self.routes) { _, port in
            for isSplit in [false, true] {
                let client = try await RawClient(port: port)
                let bytes = Array((example.request + Self.get("Host: localhost\r\nConnection: close\r\n")).utf8)
                let half = isSplit ? bytes.count / 2 : bytes.count
                try await client.send(Array(bytes[..<half]))
                if isSplit {
                    // The answer of another connection shows that the server has had time to read.
                    #expect(try await RawClient(port: port).request("GET", "/").body == "in")
                    try? await client.send(Array(bytes[half...]))
                }
                let (answer, wasReset) = try await client.readToEndOrReset()
                let all = answer.components(separatedBy: "HTTP/1.").dropFirst().compactMap {
                    Int($0.dropFirst(2).prefix(3))
                }
                let statuses = all.filter { $0 >= 200 }
                // The reset of a connection whose bytes were not all read may overtake the last response.
                let isLost =
                    wasReset && statuses.count < example.statuses.count && example.statuses.starts(with: statuses)
                #expect(statuses == example.statuses || isLost, "split: \(isSplit), reset: \(wasReset), \(answer)")
            }
        }
    }
}
