// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomHTTP
import AxiomTestSupport
import Synchronization
import Testing

@Suite("Streams")
struct StreamTests {
    private static func chunks(_ parts: [String]) -> AsyncStream<[UInt8]> {
        AsyncStream { continuation in
            for part in parts { continuation.yield(Array(part.utf8)) }
            continuation.finish()
        }
    }

    /// Numbers from 0, each made on demand.
    private struct Counting: AsyncSequence, Sendable {
        let made: Journal<Int>
        let size: Int
        var count = Int.max

        struct Iterator: AsyncIteratorProtocol {
            let sequence: Counting
            var next = 0

            mutating func next() async throws -> [UInt8]? {
                try Task.checkCancellation()
                guard next < sequence.count else { return nil }
                defer { next += 1 }
                sequence.made.write(next)
                return [UInt8](repeating: UInt8(ascii: "a") + UInt8(next % 26), count: sequence.size)
            }
        }

        func makeAsyncIterator() -> Iterator { Iterator(sequence: self) }
    }

    @Test("The chunks arrive in order, in chunked coding, and the connection stays", arguments: [true, false])
    func inOrder(immediate: Bool) async throws {
        let handler: @Sendable (HTTPRequest) -> HTTPResponse = { _ in
            .stream(headers: ["Content-Type": "text/event-stream"], Self.chunks(["one ", "", "two ", "three"]))
        }
        let route: HTTPRoute = immediate ? .immediate("/") { handler($0) } : .get("/") { handler($0) }
        try await withServer([route]) { _, port in
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let response = try await client.response(hasBody: false)
            #expect(response.header("Transfer-Encoding") == "chunked")
            #expect(response.header("Content-Type") == "text/event-stream")
            try await client.read(until: "4\r\none \r\n4\r\ntwo \r\n5\r\nthree\r\n0\r\n\r\n")
            #expect(try await client.request("HEAD", "/").status == 200)
            // Without chunked coding the end of the connection is the end of the body.
            try await client.send("GET / HTTP/1.0\r\n\r\n")
            #expect(try await client.readToEnd().hasSuffix("\r\n\r\none two three"))
        }
    }

    @Test("A chunk arrives while the stream waits for the next one, and the wait occupies no thread")
    func live() async throws {
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        let routes: [HTTPRoute] = [.get("/live") { _ in .stream(stream) }, .immediate("/") { _ in .text("quick") }]
        try await withServer(routes, .with { $0.threads = 1 }) { _, port in
            let client = try await RawClient(port: port)
            let other = try await RawClient(port: port)
            try await client.send("GET /live HTTP/1.1\r\nHost: localhost\r\n\r\n")
            _ = try await client.response(hasBody: false)
            for index in 0..<100 {
                feed.yield(Array("event \(index)".utf8))
                try await client.read(until: "event \(index)\r\n")
                #expect(try await other.request("GET", "/").body == "quick")
            }
            feed.finish()
            try await client.read(until: "0\r\n\r\n")
        }
    }

    @Test("A client that does not read delays one chunk and no other client, and the stream resumes when it reads")
    func slowReader() async throws {
        let made = Journal<Int>()
        let size = 1_000_000
        let routes: [HTTPRoute] = [
            .get("/flood") { _ in .stream(Counting(made: made, size: size, count: 40)) },
            .immediate("/") { _ in .text("quick") },
        ]
        try await withServer(routes, .with { $0.threads = 1 }) { _, port in
            let client = try await RawClient(port: port)
            try await client.send("GET /flood HTTP/1.0\r\n\r\n")
            await made.wait(forCount: 1)
            let other = try await RawClient(port: port)
            for _ in 0..<50 { #expect(try await other.request("GET", "/").body == "quick") }
            // The socket buffers take some; the rest of 40 MB has not even been made.
            #expect(made.entries.count < 30)
            let received = try await client.readToEnd()
            #expect(received.utf8.count > 40 * size)
            #expect(made.entries == Array(0..<40))
        }
    }

    @Test("A client that disconnects ends the stream, whether it waits or sends", arguments: [true, false])
    func disconnect(waiting: Bool) async throws {
        let ended = Event()
        let made = Journal<Int>()
        let (silent, feed) = AsyncStream<[UInt8]>.makeStream()
        feed.onTermination = { _ in ended.fire() }
        feed.yield(Array("first".utf8))
        let flood = Counting(made: made, size: 100_000)
        let routes: [HTTPRoute] = [
            .get("/") { _ in
                waiting ? .stream(silent) : .stream(EndObserved(base: flood, ended: ended))
            }
        ]
        let failures = Journal<HTTPFailure>()
        try await withServer(routes, failures: failures) { server, port in
            do {
                let client = try await RawClient(port: port)
                try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
                try await client.read(until: waiting ? "first" : "aaaa")
                client.hangUp()
            }
            await ended.wait()
        }
        #expect(failures.entries.isEmpty)
        withExtendedLifetime(feed) {}
    }

    @Test("A stream that throws ends the body early, which the client can detect, and is reported")
    func throwing() async throws {
        struct Broken: Error {}
        let failures = Journal<HTTPFailure>()
        let stream = AsyncThrowingStream<[UInt8], any Error> { continuation in
            continuation.yield(Array("half".utf8))
            continuation.finish(throwing: Broken())
        }
        try await withServer([.get("/") { _ in .stream(stream) }], failures: failures) { _, port in
            let client = try await RawClient(port: port)
            try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
            let received = (try? await client.readToEnd()) ?? ""
            #expect(!received.hasSuffix("0\r\n\r\n"))
        }
        #expect(failures.entries.count == 1)
        #expect(failures.entries.allSatisfy { $0.error is Broken })
    }

    @Test("Stopping ends a stream that would never end")
    func stopping() async throws {
        let time = ManualTime()
        let (stream, feed) = AsyncStream<[UInt8]>.makeStream()
        feed.yield(Array("first".utf8))
        let routes: [HTTPRoute] = [.get("/") { _ in .stream(stream) }]
        let server = try HTTPServer(configuration: .with { _ in }, routes: routes, clock: .manual(time))
        try server.start()
        let client = try await RawClient(port: try #require(server.port))
        try await client.send("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
        try await client.read(until: "first\r\n")
        async let stopped: Void = server.stop()
        await time.waitForSleepers(1)
        time.advance(by: .seconds(5))
        await stopped
        let rest = try? await client.readToEnd()
        #expect(rest?.hasSuffix("0\r\n\r\n") != true)
        withExtendedLifetime(feed) {}
    }
}

/// Tells when the iterator of a sequence ends, in whichever way.
private struct EndObserved<Base: AsyncSequence & Sendable>: AsyncSequence, Sendable where Base.Element == [UInt8] {
    let base: Base
    let ended: Event

    final class Guard {
        let event: Event
        init(_ event: Event) { self.event = event }
        deinit { event.fire() }
    }

    struct Iterator: AsyncIteratorProtocol {
        var base: Base.AsyncIterator
        let guardian: Guard

        mutating func next() async throws -> [UInt8]? { try await base.next() }
    }

    func makeAsyncIterator() -> Iterator {
        Iterator(base: base.makeAsyncIterator(), guardian: Guard(ended))
    }
}
