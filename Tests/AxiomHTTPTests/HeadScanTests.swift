// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Foundation
import Testing

@testable import AxiomHTTP

@Suite("The scan of a head that arrives in pieces", .timeLimit(.minutes(10)))
struct HeadScanTests {
    /// A text of lines, some empty, some without a name, and some that end in LF alone.
    private static func head(_ random: inout SeededGenerator) -> [UInt8] {
        let lines = ["", "GET /a HTTP/1.1", "Host: x", ":", ": x", "X:", " folded", "\r", "::", "Y: :", "Z\r:"]
        var text: [UInt8] = []
        for _ in 0..<Int.random(in: 1...8, using: &random) {
            text += Array((lines.randomElement(using: &random) ?? "").utf8)
            text += Bool.random(using: &random) ? [13, 10] : [10]
        }
        return text
    }

    @Test("It finds in any pieces what it finds in the whole, and looks at each byte once")
    func pieces() {
        for seed in 1...500 as ClosedRange<UInt64> {
            var random = SeededGenerator(seed: seed)
            let head = Self.head(&random)
            let whole = RequestPreview(head, limit: .max)
            var (scan, end, looked) = (HeadScan(), 0, 0)
            var preview = RequestPreview.partial
            while end < head.count, preview == .partial {
                end = min(head.count, end + Int.random(in: 1...5, using: &random))
                let before = scan.count
                preview = RequestPreview(head[..<end], limit: .max, scan: &scan)
                looked += scan.count - before
                #expect(scan.count <= end, "seed \(seed)")
            }
            #expect(preview == whole, "seed \(seed): \(String(decoding: head, as: UTF8.self).debugDescription)")
            #expect(looked <= head.count, "seed \(seed)")
        }
    }

    @Test("A line without a name is found wherever it stands, and a colon elsewhere is no such line")
    func nameless() {
        func preview(_ lines: String...) -> RequestPreview {
            RequestPreview(Array((lines + ["", ""]).joined(separator: "\r\n").utf8), limit: .max)
        }
        let line = "GET /a HTTP/1.1"
        for text in [":", ": x", ":x", "::", ":\nGET /metrics HTTP/1.1", "X: y\r:"] {
            #expect(preview(line, "Host: x", text, "X: y") == .malformed, "\(text)")
            #expect(preview(line, text) == .malformed, "\(text)")
        }
        #expect(preview(line, "Host: x:", "X::", " :") == .arrived(path: "/a"))
        #expect(preview("", ":", "Host: x") == .malformed)
        for first in ["GET /a", "GET\t/a HTTP/1.1", " GET /a HTTP/1.1", "GET  /a HTTP/1.1", "GET /a b HTTP/1.1", "GET"]
        {
            #expect(preview(first, "Host: x") == .malformed, "\(first)")
        }
        let long = String(repeating: "M", count: 65)
        #expect(preview("\(long) /a HTTP/1.1", "Host: x") == .malformed)
        #expect(preview("\(long.dropLast()) /a HTTP/1.1", "Host: x") == .arrived(path: "/a"))
        for cut in ["\(long)", "GET  "] {
            let bytes = Array((cut + String(repeating: "x", count: 100)).utf8)
            #expect(RequestPreview(bytes, limit: 100) == .malformed, "\(cut)")
        }
        for control in ["\0", "\u{1}", "\u{B}", "\u{1F}"] {
            #expect(preview(line, "Host: x", "X: a\(control)b") == .malformed)
            #expect(preview("\(control)a", line, "Host: x") == .malformed)
            #expect(preview("GET /\(control) HTTP/1.1", "Host: x") == .malformed)
        }
        #expect(preview(line, "X:\ta\tb", "Y: é") == .arrived(path: "/a"))
        // A body may have such lines.
        #expect(preview(line, "Host: x", "", ":") == .arrived(path: "/a"))
    }

    @Test("The empty lines before a request are counted, and a CR alone ends the count")
    func emptyLines() {
        for (text, count) in [
            ("", 0), ("GET", 0), ("\r\nGET", 2), ("\n\r\n\nGET", 4), ("\r\n\r", 2), ("\r\r\nGET", 0), ("\r\n\r\r\n", 2),
            ("\n \n", 1),
        ] {
            #expect(RequestPreview.emptyLines(before: Array(text.utf8)) == count, "\(text.debugDescription)")
        }
    }

    @Test(
        "A request with a line without a name has one answer, 400: a proxy may read it as one request",
        arguments: [":\n", ":\r\n", ": \n", ":x\r\n", "X: y\r\n:\n", ":\r", "X: y\r:\r"]
    )
    func smuggling(_ line: String) async throws {
        try await withServer(Self.routes) { _, port in
            let client = try await RawClient(port: port)
            try await Self.expectRefusal(client, line)
            let later = try await RawClient(port: port)
            #expect(try await later.request("GET", "/healthz").body == "/healthz")
            try await Self.expectRefusal(later, line)
        }
    }

    private static let routes = ["/healthz", "/metrics"].map { path in
        HTTPRoute.immediate(path) { _ in .text(path) }
    }

    private static func expectRefusal(_ client: RawClient, _ line: String) async throws {
        try await client.send(
            "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\(line)GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n"
        )
        let (answer, _) = try await client.readToEndOrReset()
        #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
        #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    }
}
