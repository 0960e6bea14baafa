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

    /// Sends a batch, or its parts.
    private static func send(_ batch: PushBatch, to destination: any PushDestination) async throws {
        for part in try await destination.send(batch).parts { try await send(part, to: destination) }
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

    @Test("The halves of a request have its metrics and its resource, and a request of one data point has no halves")
    func halves() throws {
        let messages = try Self.messages()
        let batch = try #require(messages.requests(try Self.registry(0).collect(), at: 5).first)
        let (first, second) = try #require(batch.halves)
        for half in [first, second] {
            let text = String(decoding: half.bytes, as: UTF8.self)
            #expect(text.contains("service.name") && text.contains("axiom"))
            #expect(text.components(separatedBy: "small_").count - 1 == 10)
        }
        #expect(first.samples == 10 && second.samples == 10)
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

    @Test("Each half of a request counts its own samples, for every kind of metric")
    func samplesOfHalves() throws {
        let registry = Registry()
        let label = Label<String>("id")
        let (counters, gauges) = (
            try registry.counters("a_total", help: "A.", labels: label),
            try registry.gauges("b", help: "B.", labels: label)
        )
        let classic = try registry.histograms("c_seconds", help: "C.", labels: label)
        let exponential = try registry.exponentialHistograms("d_seconds", help: "D.", labels: label)
        for number in 0..<5 {
            counters("\(number)").increment()
            if number < 4 { gauges("\(number)").set(1) }
            if number < 3 { classic("\(number)").observe(1) }
            if number < 2 { exponential("\(number)").observe(1) }
        }
        let batch = try #require(try Self.messages().requests(registry.collect(), at: 5).first)
        let (first, second) = try #require(batch.halves)
        #expect(batch.samples == 14 && first.samples == 9 && second.samples == 5)
        let quarters = try #require(first.halves)
        #expect(quarters.0.samples == 5 && quarters.1.samples == 4)
    }

    @Test("The halves of one metric are that metric with its data points, each once and in their order")
    func halvesOfMetric() throws {
        let registry = Registry()
        let label = Label<String>("id")
        let jobs = try registry.counters("a_bytes_total", help: "A.", labels: label, options: .unit("bytes"))
        let sizes = try registry.exponentialHistograms("d", help: "D.", labels: label)
        let waits = try registry.histograms("c", help: "C.", labels: label)
        let levels = try registry.gauges("b", help: "B.", labels: label)
        for number in 0..<7 {
            jobs("\(number)").increment(by: UInt64(number))
            sizes("\(number)").observe(Double(number))
            waits("\(number)").observe(Double(number))
            levels("\(number)").set(Double(number))
        }
        for temporality in [PushTarget.Temporality.cumulative, .delta] {
            var messages = try Self.messages()
            messages.temporality = temporality
            for name in ["a_bytes_total", "b", "c", "d"] {
                let snapshot = registry.collect().filtered([name])
                let batch = try #require(messages.requests(snapshot, at: 5).first)
                var (rest, single) = ([batch], [] as [PushBatch])
                while let next = rest.popLast() {
                    if let (left, right) = next.halves { rest += [right, left] } else { single.append(next) }
                }
                #expect(single.count == 7 && single.allSatisfy { $0.samples == 1 }, "\(name)")
                let points = single.flatMap(DecodedPoint.all)
                let whole = DecodedPoint.all(in: batch)
                #expect(points.map(\.series) == whole.map(\.series) && points.map(\.values) == whole.map(\.values))
                #expect(points.map(\.isDelta) == whole.map(\.isDelta) && points.map(\.time) == whole.map(\.time))
                // Each has the name, the help, the unit and what else is no data point.
                let apart = messages.requests(snapshot, at: 5, bytes: 1)
                #expect(single.map(\.bytes) == apart.map(\.bytes), "\(name)")
            }
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
            for batch in batches { try? await Self.send(batch, to: target.destination) }
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

    @Test(
        "What a receiver took of a request that was too large is not sent again after a failure of the rest",
        .enabled(
            if: ExternalTool.telemetryPython.mayRun,
            Comment(rawValue: ExternalTool.telemetryPython.installation)
        )
    )
    func takenOnce() async throws {
        let (receiver, time) = (try await Receiver(), ManualTime())
        let registry = Registry()
        for number in 0..<20 {
            let family = try registry.counters("jobs_\(number)_total", help: "J.", labels: Label<String>("id"))
            for job in 0..<150 { family(String(repeating: "x", count: 80) + "\(job)").increment() }
        }
        // Of the requests that are small enough, the second gets a 503.
        let pusher = try Pusher(
            registry: registry,
            to: [.otlpMetrics(PushEndpoint(receiver.url("/limit/250000/busy/2/v1/metrics")), service: "shop")],
            interval: .seconds(3_600),
            finalTimeout: .zero,
            clock: .manual(time),
            onFailure: { _ in }
        )
        let running = Task { try await pusher.run() }
        var series: [String: Int] = [:]
        var answers: [Int] = []
        while series.count < 20 {
            let request = try await receiver.request()
            if let answer = request["answer"] as? Int { answers.append(answer) }
            if request["answer"] as? Int == 503 {
                // The interval, and the seven seconds of the answer, to which a tenth at most is added.
                await time.waitForSleepers(2)
                time.advance(by: .milliseconds(7_700))
            }
            let metrics = request["otlp", "resourceMetrics", 0, "scopeMetrics", 0, "metrics"] as? [[String: Any]] ?? []
            for metric in metrics {
                guard let name = metric["name"] as? String, name.hasPrefix("jobs_") else { continue }
                series[name, default: 0] += ((metric["sum"] as? [String: Any])?["dataPoints"] as? [Any])?.count ?? 0
            }
        }
        running.cancel()
        try await running.value
        #expect(answers == [413, 503])
        #expect(series.values.allSatisfy { $0 == 150 }, "\(series)")
        let totals = try #require(await pusher.pending["otlp_metrics"]?.totals)
        #expect(totals.appended == totals.sent && totals.sent > 3_000)
    }
}
