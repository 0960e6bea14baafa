// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite("The size of OTLP requests", .timeLimit(.minutes(10)))
struct OTLPSizeTests {
    /// A registry with some small families and one that is much larger than a request.
    private static func registry(_ series: Int) throws -> Registry {
        let registry = Registry()
        for number in 0..<20 { try registry.counter("small_\(number)_total", help: "S.").increment() }
        let large = try registry.counters(
            "large_total",
            help: "L.",
            labels: Label<String>("id"),
            options: MetricOptions(seriesLimit: series + 1)
        )
        let prefix = String(repeating: "x", count: 40)
        for number in 0..<series { large("\(prefix)\(number)").increment(by: UInt64(number)) }
        return registry
    }

    private static func messages() throws -> MetricMessages {
        MetricMessages(resource: try Resource(service: "shop", attributes: [:]), start: 1)
    }

    @Test("Requests are below the limit, and have all series once, also if one family has too many for a request")
    func divided() throws {
        let snapshot = try Self.registry(3_000).collect()
        let messages = try Self.messages()
        let whole = messages.requests(snapshot, at: 5)
        #expect(whole.count == 1 && whole[0].samples == 3_020)
        for limit in [1_000, 16_384, 100_000] {
            let batches = messages.requests(snapshot, at: 5, bytes: limit)
            #expect(batches.count > 1)
            // Resource and scope come on top.
            #expect(batches.allSatisfy { $0.bytes.count <= limit + 300 }, "\(limit)")
            #expect(batches.reduce(0) { $0 + $1.samples } == 3_020, "\(limit)")
        }
        #expect(messages.requests(Registry().collect(), at: 5).map(\.samples) == [0])
    }

    @Test("The halves of a request have its metrics and its resource, and a request of one metric has no halves")
    func halves() throws {
        let messages = try Self.messages()
        let batch = try #require(messages.requests(try Self.registry(0).collect(), at: 5).first)
        let (first, second) = try #require(batch.halves)
        for half in [first, second] {
            let text = String(decoding: half.bytes, as: UTF8.self)
            #expect(text.contains("service.name") && text.contains("axiom"))
            #expect(text.components(separatedBy: "small_").count - 1 == 10)
        }
        var rest = [first, second]
        var single = 0
        while let next = rest.popLast() {
            if let (left, right) = next.halves { rest += [left, right] } else { single += 1 }
        }
        #expect(single == 20)
        for bytes in [[], [1], Array("nonsense".utf8)] as [[UInt8]] {
            #expect(PushBatch(samples: 1, bytes: bytes).halves == nil)
        }
    }

    @Test("Compressed bytes are those of gzip")
    func compression() throws {
        let bytes = Array(String(repeating: "axiom ", count: 1_000).utf8)
        let compressed = try #require(RequestCompression.gzip(bytes))
        #expect(compressed.starts(with: [0x1F, 0x8B, 8]) && compressed.count < bytes.count / 20)
        #expect(RequestCompression.gzip([])?.isEmpty == false)
    }

    @Test(
        "A receiver with a limit gets every metric, at once by halves and later by smaller requests",
        .enabled(
            if: ExternalTool.telemetryPython.mayRun,
            Comment(rawValue: ExternalTool.telemetryPython.installation)
        )
    )
    func receiver() async throws {
        let receiver = try await Receiver()
        let target = try PushTarget.otlpMetrics(PushEndpoint(receiver.url("/limit/60000")), service: "shop")
        let snapshot = try Self.registry(3_000).collect()
        var counts: [Int] = []
        for _ in 0..<5 {
            let batches = target.destination.batches(of: snapshot, at: 5)
            counts.append(batches.count)
            // The first request may be of one metric that is too large: then a smaller one follows with the next snapshot.
            for batch in batches { _ = try? await target.destination.send(batch) }
        }
        #expect(counts.first ?? 0 < counts.last ?? 0)
        for batch in target.destination.batches(of: snapshot, at: 5) {
            #expect(batch.bytes.count <= 60_000)
            _ = try await target.destination.send(batch)
        }
        let request = try await receiver.request { $0["answer"] == nil }
        #expect(request.header("Content-Encoding") == "gzip")
        #expect(request["bytes"] as? Int ?? 0 < request["plain"] as? Int ?? 0)
    }
}
