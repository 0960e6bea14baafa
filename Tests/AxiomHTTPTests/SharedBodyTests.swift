// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import Testing

@Suite("Bodies that share the memory of another owner")
struct SharedBodyTests {
    /// Memory that is spoilt as soon as it is given back, so that a byte that is sent later shows.
    private final class Page: Sendable {
        let memory: Lock<UnsafeMutableRawBufferPointer>
        let released = Event()

        init(count: Int, byte: UInt8) {
            let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
            bytes.initializeMemory(as: UInt8.self, repeating: byte)
            memory = Lock(bytes)
        }

        deinit { memory.withLock { $0.deallocate() } }

        func body() -> HTTPBody {
            HTTPBody(sharing: memory.withLock { UnsafeRawBufferPointer($0) }) { self.release() }
        }

        private func release() {
            memory.withLock { _ = $0.initializeMemory(as: UInt8.self, repeating: UInt8(ascii: "!")) }
            released.fire()
        }
    }

    /// More than what the kernel takes for a client that does not read.
    private static let large = 16 << 20

    @Test("The memory is released once, with the last reference to the body")
    func released() {
        let page = Page(count: 3, byte: UInt8(ascii: "a"))
        var body: HTTPBody? = page.body()
        let other = body
        #expect(body?.bytes == Array("aaa".utf8) && body?.count == 3)
        body = nil
        #expect(page.released.count == 0)
        withExtendedLifetime(other) {}
        #expect(other.map { $0.withUnsafeBytes { $0.count } } == 3)
    }

    @Test("A slow reader gets the original bytes, and the memory is released only after it has read them")
    func slowReader() async throws {
        let page = Page(count: Self.large, byte: UInt8(ascii: "a"))
        try await withServer([.immediate("/") { _ in HTTPResponse(body: page.body()) }]) { _, port in
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            try await client.read(until: "\r\n\r\n")
            #expect(page.released.count == 0)
            let body = try await client.readToEnd()
            let isWhole = body == String(repeating: "a", count: Self.large)
            #expect(isWhole)
            await page.released.wait()
        }
        #expect(page.released.count == 1)
    }

    @Test("The memory is released exactly once after HEAD, after an error, and when the client disconnects early")
    func otherEnds() async throws {
        let pages = ["/", "/unsendable"].map { ($0, Page(count: Self.large, byte: UInt8(ascii: "a"))) }
        let routes = pages.map { path, page in
            HTTPRoute.get(path) { _ in
                HTTPResponse(headers: path == "/" ? [:] : ["Date": "today"], body: page.body())
            }
        }
        try await withServer(routes) { _, port in
            let client = try await RawClient(port: port)
            #expect(try await client.request("HEAD", "/").status == 200)
            await pages[0].1.released.wait(1)
            #expect(try await client.request("GET", "/unsendable").status == 500)
            await pages[1].1.released.wait(1)
            try await Self.leaveInTheMiddle(port)
            await pages[0].1.released.wait(2)
        }
        #expect(pages.map(\.1.released.count) == [2, 1])
    }

    @Test("If a client stays connected and does not read, the memory is released at the idle timeout")
    func stalledClient() async throws {
        let page = Page(count: Self.large, byte: UInt8(ascii: "a"))
        let routes: [HTTPRoute] = [.immediate("/") { _ in HTTPResponse(body: page.body()) }]
        try await withServer(routes, .with { $0.idleTimeout = .seconds(1) }) { _, port in
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            await page.released.wait()
            withExtendedLifetime(client) {}
        }
        #expect(page.released.count == 1)
    }

    /// Closes the connection when the body has begun. While it is only shut down, the kernel does not tell a server that
    /// waits for room in the client's window.
    private static func leaveInTheMiddle(_ port: Int) async throws {
        let client = try await RawClient(port: port)
        try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await client.read(until: "\r\n\r\n")
    }
}
