// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import Testing

@testable import AxiomHTTP
@testable import AxiomMetricsExporter

@Suite("The scrape cache and its memory")
struct ScrapeCacheTests {
    private static func make() throws -> (cache: ScrapeCache, counter: Counter) {
        let registry = Registry()
        let counter = try registry.counter("shop_visits_total", help: "Visits.")
        return (ScrapeCache(registry) { _ in }, counter)
    }

    private static func page(_ cache: ScrapeCache, arrival: Instant = TimeSource.live.now) async throws -> HTTPBody {
        let request = try ScrapeRequest(HTTPRequest(path: "/metrics"))
        let deadline = TimeSource.live.now.advanced(by: .seconds(50))
        return try #require(await cache.page(request, deadline: deadline, arrival: arrival)).body
    }

    private static func address(_ body: HTTPBody) -> UnsafeRawPointer? {
        body.withUnsafeBytes { $0.baseAddress }
    }

    @Test("A page is sent from the memory it was written to, which is reused only after its last reader has it")
    func reuse() async throws {
        let (cache, counter) = try Self.make()
        var first: HTTPBody? = try await Self.page(cache)
        let text = try #require(first).bytes
        let address = Self.address(try #require(first))
        counter.increment()
        let second = try await Self.page(cache)
        #expect(Self.address(second) != address)
        #expect(first?.bytes == text)
        first = nil
        counter.increment()
        let third = try await Self.page(cache)
        #expect(Self.address(third) == address)
        #expect(String(decoding: second.bytes, as: UTF8.self).hasSuffix("shop_visits_total 1\n"))
        #expect(String(decoding: third.bytes, as: UTF8.self).hasSuffix("shop_visits_total 2\n"))
    }

    @Test("Memory for more pages than are usually in flight is not kept")
    func spare() async throws {
        let buffers = PageBuffers()
        var bodies = (0..<10).map { _ in buffers.body(of: buffers.take()) }
        #expect(Set(bodies.map(Self.address)).count == 10)
        #expect(buffers.spareCount == 0)
        bodies = []
        #expect(buffers.spareCount == 2)
        _ = buffers.body(of: buffers.take())
        #expect(buffers.spareCount == 2)
    }

    @Test("Readers of different speeds each find their page unchanged", .timeLimit(.minutes(10)))
    func stress() async throws {
        let (cache, counter) = try Self.make()
        try await withThrowingTaskGroup { group in
            for reader in 0..<16 {
                group.addTask {
                    var last = 0
                    for round in 0..<100 {
                        counter.increment()
                        let page = try await Self.page(cache)
                        let bytes = page.bytes
                        for _ in 0..<(reader * round % 23) { await Task.yield() }
                        #expect(page.bytes == bytes)
                        let value = String(decoding: bytes, as: UTF8.self).split(separator: " ").last.flatMap {
                            Int($0.dropLast())
                        }
                        // The page, also a shared one, includes the reader's own increments before its request.
                        #expect(try #require(value) > last)
                        last = value ?? 0
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    @Test("A page is shared with requests that arrived before it was started, while it is referenced")
    func sharing() async throws {
        let (cache, _) = try Self.make()
        let early = TimeSource.live.now
        var first: HTTPBody? = try await Self.page(cache)
        #expect(try await Self.page(cache, arrival: early) === first)
        let late = try await Self.page(cache)
        #expect(late !== first)
        // Of several matching pages, the latest is returned.
        #expect(try await Self.page(cache, arrival: early) === late)
        weak let gone = first
        first = nil
        #expect(gone == nil)
    }
}
