// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import AxiomHTTP

/// Two readers of one request that disagree on where it ends can be made to disagree on what the next one is. So a
/// request that RFC 9112 tells a server to refuse is refused, also by a server behind a proxy.
@Suite("The framing of requests", .timeLimit(.minutes(10)))
struct FramingTests {
    private static let routes: [HTTPRoute] = [
        .immediate("/") { _ in .text("in") }, .post("/", maximumBodyBytes: 100) { _ in .text("taken") },
    ]
    private static let good = "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"

    static let refused: [(what: String, request: String)] = [
        ("a blank before the colon", "GET / HTTP/1.1\r\nHost : localhost\r\n\r\n"),
        ("a tab before the colon", "GET / HTTP/1.1\r\nHost: localhost\r\nX\t: 1\r\n\r\n"),
        ("a CR alone in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\rb\r\n\r\n"),
        ("a CR alone at the end of a line", "GET / HTTP/1.1\r\nHost: localhost\r\r\n\r\n"),
        ("an LF alone after the request line", "GET / HTTP/1.1\nHost: localhost\r\n\r\n"),
        ("an LF alone after a field", "GET / HTTP/1.1\r\nHost: localhost\nX: 1\r\n\r\n"),
        ("an LF alone after the last field", "GET / HTTP/1.1\r\nHost: localhost\n\r\n"),
        ("an LF alone for the empty line", "GET / HTTP/1.1\r\nHost: localhost\r\n\n"),
        ("LF alone everywhere", "GET / HTTP/1.1\nHost: localhost\n\n"),
        ("a zero in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0b\r\n\r\n"),
        ("a zero in a name", "GET / HTTP/1.1\r\nHost: localhost\r\nX\0Y: a\r\n\r\n"),
        ("a zero in the target", "GET /\0x HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a zero in the method", "GE\0T / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a folded line", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n b\r\n\r\n"),
        ("a folded line of a tab", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\r\n\tb\r\nY: 1\r\n\r\n"),
        ("a blank before the first field", "GET / HTTP/1.1\r\n Host: localhost\r\n\r\n"),
        ("a field without a name", "GET / HTTP/1.1\r\nHost: localhost\r\n: x\r\n\r\n"),
        ("a field without a colon", "GET / HTTP/1.1\r\nHost: localhost\r\nX\r\n\r\n"),
        ("a name that is no token", "GET / HTTP/1.1\r\nHost: localhost\r\nX(Y): a\r\n\r\n"),
        ("another control character", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\u{1}b\r\n\r\n"),
        ("two blanks before the target", "GET  / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("two blanks before the version", "GET /  HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a blank after the version", "GET / HTTP/1.1 \r\nHost: localhost\r\n\r\n"),
        ("a blank in the target", "GET /a b HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("no version", "GET /\r\nHost: localhost\r\n\r\n"),
        ("a length that is no number", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n"),
        ("a negative length", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: -1\r\n\r\n"),
        ("a length with a blank behind", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3 \r\n\r\nabc"),
        ("an empty length", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length:\r\n\r\n"),
        (
            "a length out of range",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 99999999999999999999999\r\n\r\n"
        ),
        (
            "a length and a coding",
            "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
        ),
        ("two lengths", "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3\r\nContent-Length: 3\r\n\r\nabc"),
    ]

    /// As the first request of a connection, and as the second, sent whole and in two parts.
    @Test(
        "A request that may be read in two ways is refused once, and its connection closed",
        arguments: refused.indices
    )
    func refusal(index: Int) async throws {
        let (what, request) = Self.refused[index]
        try await withServer(Self.routes) { _, port in
            for isSecond in [false, true] {
                for isSplit in [false, true] {
                    let client = try await RawClient(port: port)
                    if isSecond { #expect(try await client.request("GET", "/").body == "in") }
                    let bytes = Array(request.utf8)
                    let half = isSplit ? bytes.count - 6 : bytes.count
                    try await client.send(Array(bytes[..<half]))
                    if isSplit {
                        // The answer of another connection shows that the server has had time to read.
                        #expect(try await RawClient(port: port).request("GET", "/").body == "in")
                        try? await client.send(Array(bytes[half...]))
                    }
                    try? await client.send(Self.good)
                    let answer = (try? await client.readToEnd()) ?? ""
                    let statuses = answer.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
                    #expect(statuses.count <= 1, "\(what), second: \(isSecond), split: \(isSplit): \(answer)")
                    #expect(statuses.allSatisfy { ["400", "413"].contains($0) }, "\(what): \(answer)")
                    #expect(!answer.contains("\r\n\r\nin") && !answer.contains("taken"), "\(what): \(answer)")
                }
            }
        }
    }

    static let accepted: [(what: String, request: String)] = [
        ("an ordinary request", good),
        ("no blank after a colon", "GET / HTTP/1.1\r\nHost:localhost\r\n\r\n"),
        ("blanks around a value", "GET / HTTP/1.1\r\nHost: \t localhost \t \r\n\r\n"),
        ("an empty value", "GET / HTTP/1.1\r\nHost: localhost\r\nX:\r\n\r\n"),
        ("a tab in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\tb\r\n\r\n"),
        ("bytes that are not ASCII in a value", "GET / HTTP/1.1\r\nHost: localhost\r\nX: é\r\n\r\n"),
        ("cookies", "GET / HTTP/1.1\r\nHost: localhost\r\nCookie: a=b; c=d\r\nX: 1\r\n\r\n"),
        ("a query", "GET /?a=b&c=%20d&e HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("HTTP/1.0 without a host", "GET / HTTP/1.0\r\n\r\n"),
        // What libmicrohttpd takes besides what it must; the documentation lists it.
        ("empty lines before the request", "\r\n\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("LF alone before the request", "\n\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a line that begins with a zero before the request", "\0a\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a version above 1.1", "GET / HTTP/1.2\r\nHost: localhost\r\n\r\n"),
        ("a zero and an LF in place of CRLF", "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0\nY: b\r\n\r\n"),
        (
            "LF alone within chunks",
            "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3\nabc\n0\n\n"
        ),
        (
            "an extension of a chunk",
            "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n3;a=b\r\nabc\r\n0\r\n\r\n"
        ),
    ]

    @Test("A request that is well formed or listed as tolerated is answered", arguments: accepted.indices)
    func acceptance(index: Int) async throws {
        let (what, request) = Self.accepted[index]
        try await withServer(Self.routes) { _, port in
            for isSecond in [false, true] {
                let client = try await RawClient(port: port)
                if isSecond { #expect(try await client.request("GET", "/").body == "in") }
                try await client.send(request)
                #expect(try await client.response().status == 200, "\(what)")
            }
        }
    }

    static let versions: [(text: String, isAllowed: Bool, hasKnownLayout: Bool)] = [
        ("0.9.75", true, true), ("0.9.75-6", true, true), ("0.9.76", true, false), ("1.0.1", true, false),
        ("2", true, false), ("0.9.74", false, false), ("0.9", false, false), ("unknown", false, false),
        ("", false, false), ("0..75", false, false),
    ]

    @Test("A libmicrohttpd that is too old is refused, and the workarounds of a version apply to that version only")
    func version() throws {
        for (text, isAllowed, hasKnownLayout) in Self.versions {
            let version = MicrohttpdVersion(text)
            #expect(version.hasKnownLayout == hasKnownLayout, "\(text)")
            if isAllowed {
                #expect(throws: Never.self) { try version.validate() }
            } else {
                let error = #expect(throws: HTTPServerError.self) { try version.validate() }
                #expect(error?.message.contains("0.9.75") == true)
            }
        }
        try MicrohttpdVersion.running.validate()
    }
}
