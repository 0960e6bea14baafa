// SPDX-License-Identifier: Apache-2.0

import AxiomHTTP
import Testing

@Suite("Routes, headers and bodies")
struct RouterTests {
    private static let answer: HTTPRoute.Handler = { _ in .text("") }

    @Test("Two routes for the same requests are an error; another method or shape is not")
    func duplicates() throws {
        for (first, second) in [("/a", "/a"), ("/a/{b}", "/a/{c}"), ("/{a}/{b}", "/{x}/{y}")] {
            let routes: [HTTPRoute] = [.get(first, handler: Self.answer), .get(second, handler: Self.answer)]
            #expect(#expect(throws: HTTPServerError.self) { try HTTPRouter(routes) }?.code == .invalidRoute)
        }
        _ = try HTTPRouter([
            .get("/a/{b}", handler: Self.answer), .post("/a/{c}", maximumBodyBytes: 0, handler: Self.answer),
            .get("/a", handler: Self.answer), .get("/a/", handler: Self.answer), .get("/a/b", handler: Self.answer),
        ])
    }

    @Test("Header names ignore case; setting replaces all values, adding keeps them")
    func headers() {
        var headers: HTTPHeaders = ["A": "1", "b": "2", "a": "3"]
        #expect(headers["a"] == "1")
        #expect(headers.values(of: "A") == ["1", "3"])
        headers["A"] = "4"
        #expect(headers.fields.map(\.value) == ["4", "2"])
        headers.add("B", "5")
        #expect(headers.values(of: "b") == ["2", "5"])
        headers["b"] = nil
        #expect(headers.fields.map(\.name) == ["A"])
        #expect(headers["[A"] == nil)
        #expect(HTTPHeaders(dictionaryLiteral: ("@", "1"))["`"] == nil)
    }

    @Test("A body returns the bytes it was made of", arguments: [0, 1, 1_000])
    func bodies(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        #expect(HTTPBody(bytes).bytes == bytes)
        #expect(HTTPBody(bytes).count == count)
    }
}
