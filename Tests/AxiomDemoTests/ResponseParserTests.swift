// SPDX-License-Identifier: Apache-2.0

import ShopLoad
import Testing

@Suite("Reading responses")
struct ResponseParserTests {
    private static let response = Array("HTTP/1.1 503 Service Unavailable\r\nContent-length: 5\r\n\r\nhello".utf8)

    @Test("A response is the same wherever its bytes are cut", arguments: 0...response.count)
    func cuts(_ cut: Int) throws {
        var parser = ResponseParser()
        let first = try parser.take(Array(Self.response[..<cut]) + (cut == 0 ? Self.response : []))
        let response = try first ?? parser.take(Array(Self.response[cut...]))
        #expect(response == ResponseParser.Response(status: 503, body: Array("hello".utf8)))
    }

    @Test("A response that ends too early is malformed", arguments: 1..<response.count)
    func early(_ end: Int) throws {
        var parser = ResponseParser()
        #expect(try parser.take(Array(Self.response[..<end])) == nil)
        #expect(throws: ResponseParser.Malformed.self) { try parser.take([]) }
    }

    @Test("Without a length the connection's end is the body's")
    func withoutLength() throws {
        var parser = ResponseParser()
        #expect(try parser.take(Array("HTTP/1.0 200 OK\r\n\r\nhel".utf8)) == nil)
        #expect(try parser.take(Array("lo".utf8)) == nil)
        #expect(try parser.take([]) == ResponseParser.Response(status: 200, body: Array("hello".utf8)))
    }

    @Test(
        "Bytes that are not a response are malformed",
        arguments: ["nonsense\r\n\r\n", "HTTP/1.1 ok\r\n\r\n", "HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n"]
    )
    func malformed(_ text: String) {
        var parser = ResponseParser()
        #expect(throws: ResponseParser.Malformed.self) { try parser.take(Array(text.utf8)) }
    }
}
