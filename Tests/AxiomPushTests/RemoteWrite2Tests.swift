// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite(
    "Remote write 2.0, checked against its specification by protobuf of PyPI",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct RemoteWrite2Tests {
    /// Sends batches and returns the series that arrived, which have to be as the specification demands.
    private func series(
        _ batches: [PushBatch],
        _ target: PushTarget,
        _ receiver: Receiver
    ) async throws -> [Receiver.Series] {
        var found: [Receiver.Series] = []
        for batch in batches {
            #expect(try await target.destination.send(batch) == PushReceipt())
            let request = try await receiver.request()
            #expect(request.header("Content-Type") == "application/x-protobuf;proto=io.prometheus.write.v2.Request")
            #expect(request.header("Content-Encoding") == "snappy" && request.version == "2.0.0")
            #expect(request.problems == [] && request.series.count == batch.samples)
            found += request.series
        }
        return found
    }

    @Test("Each series has its type, help and unit; counters and histograms have the time at which they began to count")
    func metadata() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000.5)
        let registry = Registry(clock: .manual(time))
        let sent = try registry.counters(
            "sent_bytes_total",
            help: "Bytes \"sent\"\n🚀",
            labels: Label<String>("zone"),
            options: .unit("bytes")
        )
        sent("a").increment(by: 5, exemplar: ["trace_id": "beef", "span_id": "f00d"])
        time.advance(by: .seconds(2))
        sent("sent_bytes_total").increment()
        try registry.gauge("heat_celsius", help: "H.", options: .unit("celsius")).set(-3)
        try registry.info("build_info", help: "B.", ["version": "1"])
        try registry.counterCallback("collected_total", help: "C.") { 7 }
        try registry.histogram("wait_seconds", help: "W.", buckets: [1]).observe(0.5, exemplar: ["trace_id": "beef"])
        try registry.exponentialHistogram("size", help: "S.").observe(3, exemplar: ["trace_id": "cafe"])
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(
            PushEndpoint(receiver.url("/write2")),
            externalLabels: ["job": "shop"],
            histograms: .both,
            version: .v2,
            samplesPerRequest: 5
        )
        let found = try await series(
            target.destination.batches(of: registry.collect(), at: 1_700_000_010),
            target,
            receiver
        )
        let (old, new): (Int64, Int64) = (1_700_000_000_500, 1_700_000_002_500)
        let expected: [(name: String, metadata: [String], starts: [Int64])] = [
            ("sent_bytes_total", ["counter", "Bytes \"sent\"\n🚀", "bytes"], [old, new]),
            ("heat_celsius", ["gauge", "H.", "celsius"], [0]), ("build_info", ["info", "B.", ""], [0]),
            // Nobody knows when a counter of another library began to count.
            ("collected_total", ["counter", "C.", ""], [0]),
            ("wait_seconds_bucket", ["histogram", "W.", ""], [new, new]),
            ("wait_seconds_sum", ["histogram", "W.", ""], [new]),
            ("wait_seconds_count", ["histogram", "W.", ""], [new]), ("size", ["histogram", "S.", ""], [new]),
            ("size_bucket", ["histogram", "S.", ""], [new]), ("size_sum", ["histogram", "S.", ""], [new]),
            ("size_count", ["histogram", "S.", ""], [new]),
        ]
        for (name, metadata, starts) in expected {
            let all = found.filter { $0.name == name }
            #expect(all.allSatisfy { $0.metadata == metadata && $0.labels["job"] == "shop" }, "\(name)")
            #expect(all.map(\.start) == starts && all.allSatisfy { $0.time == 1_700_000_010_000 }, "\(name)")
        }
        #expect(found.count == expected.reduce(0) { $0 + $1.starts.count })
        let traces = found.flatMap { series in
            series.exemplars.map { "\(series.name) \(($0["labels"] as? [String: String])?["trace_id"] ?? "")" }
        }
        #expect(
            traces.sorted() == [
                "sent_bytes_total beef", "size cafe", "size_bucket cafe", "wait_seconds_bucket beef",
            ]
        )
    }

    @Test("A start after the sample, by a clock that was set back, is left out, and 1970 is the millisecond after it")
    func starts() throws {
        func start(_ created: Double?, _ kind: MetricKind = .counter) throws -> Int64? {
            let registry = Registry()
            if kind == .counter { _ = try registry.counter("a_total", help: "A.") }
            if kind == .gauge { _ = try registry.gauge("a", help: "A.") }
            let family = try #require(registry.collect().families.first)
            return SeriesOrigin(family.definition, created: created, before: 5_000).start
        }
        #expect(try start(4.9996) == 5_000 && start(5.001) == nil && start(nil) == nil && start(.nan) == nil)
        #expect(try start(0) == 1 && start(-2) == -2_000 && start(1, .gauge) == nil && start(-1e300) == nil)
    }

    @Test("Of the exemplars of a series the last one is sent again, and all are in the order of their times")
    func exemplars() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let registry = Registry(clock: .manual(time))
        let size = try registry.exponentialHistogram("size", help: "S.")
        let jobs = try registry.counter("jobs_total", help: "J.")
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(
            PushEndpoint(receiver.url("/write2")),
            histograms: .native,
            version: .v2
        )
        var found: [[String]] = []
        for push in 0..<3 {
            let values = [[900, 7, 0.5], [900, 7], []][push]
            for (number, value) in values.enumerated() {
                time.advance(by: .seconds(1))
                size.observe(value, exemplar: ["n": "\(push)\(number)"])
            }
            if push == 1 { jobs.increment(exemplar: ["n": "job"]) }
            let now = 1_700_000_100 + Double(push)
            let all = try await series(target.destination.batches(of: registry.collect(), at: now), target, receiver)
            found.append(
                all.sorted { $0.name > $1.name }.flatMap(\.exemplars)
                    .compactMap { ($0["labels"] as? [String: String])?["n"] }
            )
        }
        #expect(found == [["00", "01", "02"], ["02", "10", "11", "job"], ["11", "job"]])
    }

    @Test("A series that disappears ends with its metadata and its start")
    func ends() async throws {
        let registry = Registry()
        try registry.counter("a_total", help: "A.").increment()
        _ = try registry.exponentialHistogram("size", help: "S.")
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(
            PushEndpoint(receiver.url("/write2")),
            histograms: .native,
            version: .v2
        )
        let now = Date().timeIntervalSince1970 + 60
        let first = try await series(target.destination.batches(of: registry.collect(), at: now), target, receiver)
        let ended = try await series(
            target.destination.batches(of: Registry().collect(), at: now + 1),
            target,
            receiver
        )
        for one in ended {
            #expect(one.isStale && one.histogram == nil && one.start > 0)
            let before = first.first { $0.name == one.name }
            #expect(one.metadata == before?.metadata && one.start == before?.start)
        }
        #expect(ended.map(\.name).sorted() == ["a_total", "size"])
        #expect(target.destination.lastBatches(at: now + 2).isEmpty)
    }
}
