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
        ("a length with a tab behind", "POST / HTTP/1.1\r\nContent-Length: 3\t\r\nHost: localhost\r\n\r\nabc"),
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
                    try await Self.expectRefusal(client, "\(what), second: \(isSecond), split: \(isSplit)")
                }
            }
        }
    }

    /// Expects that the connection ends with one refusal at most, also if another request follows. A connection that stays
    /// open exceeds the client's patience, which is an error.
    private static func expectRefusal(_ client: RawClient, _ what: String) async throws {
        try? await client.send(Self.good)
        let (answer, _) = try await client.readToEndOrReset()
        let statuses = answer.components(separatedBy: "HTTP/1.1 ").dropFirst().map { $0.prefix(3) }
        #expect(statuses.count <= 1, "\(what): \(answer)")
        #expect(statuses.allSatisfy { ["400", "413"].contains($0) }, "\(what): \(answer)")
        #expect(!answer.contains("\r\n\r\nin") && !answer.contains("taken"), "\(what): \(answer)")
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
        ("an empty line before the request", "\r\nGET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
        ("a version above 1.1", "GET / HTTP/1.2\r\nHost: localhost\r\n\r\n"),
    ]

    /// A request that is answered although a server may refuse it; the documentation lists it.
    struct Tolerated: Sendable {
        let what: String
        let request: String
        /// The libraries with which it is answered as the first request of a connection. The server looks at its head, so
        /// that they are all or none of them, unless it is the body.
        let first: Set<TestedLibrary>
        /// Those with which it is answered as a later request.
        let later: Set<TestedLibrary>
    }

    private static let chunked = "POST / HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"

    static let tolerated: [Tolerated] = [
        Tolerated(
            what: "empty lines before the request",
            request: "\r\n\r\n" + good,
            first: [.v0_9_75, .v1_0_1, .v1_0_10],
            later: [.v0_9_75]
        ),
        Tolerated(
            what: "LF alone before the request",
            request: "\n\n" + good,
            first: [.v0_9_75, .v1_0_1, .v1_0_10],
            later: [.v0_9_75]
        ),
        Tolerated(
            what: "a line that begins with a zero before the request",
            request: "\0a\r\n" + good,
            first: [],
            later: [.v0_9_75]
        ),
        Tolerated(
            what: "a zero and an LF in place of CRLF",
            request: "GET / HTTP/1.1\r\nHost: localhost\r\nX: a\0\nY: b\r\n\r\n",
            first: [],
            later: []
        ),
        Tolerated(
            what: "LF alone within chunks",
            request: chunked + "3\nabc\n0\n\n",
            first: [.v0_9_75],
            later: [.v0_9_75]
        ),
        Tolerated(
            what: "LF alone behind a chunk, with which an extension may be misread",
            request: chunked + "3;a\r\nab\r\n0\r\n\r\n",
            first: [.v0_9_75],
            later: [.v0_9_75]
        ),
        // RFC 9112 section 7.1.1 requires it. 1.0.1 takes the end of the line for data.
        Tolerated(
            what: "an extension of a chunk",
            request: chunked + "3;a=b\r\nabc\r\n0\r\n\r\n",
            first: [.v0_9_75, .v1_0_10],
            later: [.v0_9_75, .v1_0_10]
        ),
    ]

    @Test(
        "A request that is listed as tolerated is answered by the libraries that tolerate it, and refused once by others",
        arguments: tolerated.indices
    )
    func tolerance(index: Int) async throws {
        let example = Self.tolerated[index]
        try await withServer(Self.routes) { _, port in
            for isSecond in [false, true] {
                let client = try await RawClient(port: port)
                if isSecond { #expect(try await client.request("GET", "/").body == "in") }
                try? await client.send(example.request)
                if (isSecond ? example.later : example.first).contains(TestedLibrary.running) {
                    #expect(try await client.response().status == 200, "\(example.what), second: \(isSecond)")
                } else {
                    try await Self.expectRefusal(client, "\(example.what), second: \(isSecond)")
                }
            }
        }
    }

    @Test("A request that is well formed is answered", arguments: accepted.indices)
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

    static let versions: [(text: String, isAllowed: Bool, layout: MicrohttpdVersion.Layout?)] = [
        ("0.9.75", true, .zeroed), ("0.9.75-6", true, .zeroed), ("0.9.76", true, nil), ("1.0.1", true, .terminated),
        ("1.0.10", true, .terminated), ("1.1", true, nil), ("1", true, nil), ("2", true, nil),
        ("0.9.74", false, nil), ("0.9", false, nil), ("unknown", false, nil), ("", false, nil), ("0..75", false, nil),
    ]

    @Test("A libmicrohttpd that is too old is refused, and the workarounds of a version apply to that version only")
    func version() throws {
        for (text, isAllowed, layout) in Self.versions {
            let version = MicrohttpdVersion(text)
            #expect(version.layout == layout, "\(text)")
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
