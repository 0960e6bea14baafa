// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomSampleApp
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush
@testable import AxiomTracePush

@Suite(
    "OTLP, decoded by opentelemetry-proto of PyPI",
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct OTLPTests {
    private typealias JSON = [String: Any]

    /// Pushes a snapshot and returns the metrics that arrived, by their names.
    private func metrics(_ snapshot: Snapshot, at time: Double) async throws -> [String: JSON] {
        let receiver = try await Receiver()
        let target = try PushTarget.otlpMetrics(
            PushEndpoint(receiver.url("")),
            service: "shop",
            attributes: ["service.instance.id": "one"]
        )
        for batch in target.destination.batches(of: snapshot, at: time) { _ = try await target.destination.send(batch) }
        let request = try await receiver.request()
        #expect(request.path == "/v1/metrics" && request.header("Content-Type") == "application/x-protobuf")
        let attributes = request["otlp", "resourceMetrics", 0, "resource", "attributes"] as? [JSON]
        #expect(Self.texts(attributes) == ["service.name": "shop", "service.instance.id": "one"])
        #expect(request["otlp", "resourceMetrics", 0, "scopeMetrics", 0, "scope", "name"] as? String == "axiom")
        let metrics = request["otlp", "resourceMetrics", 0, "scopeMetrics", 0, "metrics"] as? [JSON] ?? []
        return Dictionary(metrics.map { ($0["name"] as? String ?? "", $0) }, uniquingKeysWith: { first, _ in first })
    }

    private static func texts(_ attributes: [JSON]?) -> [String: String] {
        Dictionary(
            (attributes ?? []).map { attribute in
                let value = attribute["value"] as? JSON
                let text = value?["stringValue"] as? String ?? value?["intValue"] as? String ?? ""
                return (attribute["key"] as? String ?? "", text)
            },
            uniquingKeysWith: { $1 }
        )
    }

    private static func points(_ metric: JSON?, _ kind: String) -> [JSON] {
        ((metric?[kind] as? JSON)?["dataPoints"] as? [JSON]) ?? []
    }

    @Test(
        "Counters are monotonic sums since their creation, gauges are gauges, others are sums",
        .timeLimit(.minutes(10))
    )
    func numbers() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let registry = Registry(clock: .manual(time))
        let visits = try registry.counters("shop_visits_total", help: "Visits.", labels: Label<String>("client"))
        visits("Cart").increment(by: (1 << 53) + 1)
        try registry.floatCounter("heat_joules_total", help: "H.", options: .unit("joules")).increment(by: 0.25)
        try registry.gauge("memory_bytes", help: "M.", options: .unit("bytes")).set(-1.5)
        try registry.info("build_info", help: "B.", ["version": "1"])
        // A receiver makes it from the resource.
        try registry.targetInfo(["service.version": "1"])
        time.advance(by: .seconds(10))
        let found = try await metrics(registry.collect(), at: 1_700_000_010)
        #expect(found.count == 4)
        let sum = found["shop_visits_total"]?["sum"] as? JSON
        #expect(sum?["isMonotonic"] as? Bool == true)
        #expect(sum?["aggregationTemporality"] as? String == "AGGREGATION_TEMPORALITY_CUMULATIVE")
        #expect(found["shop_visits_total"]?["description"] as? String == "Visits.")
        let point = try #require(Self.points(found["shop_visits_total"], "sum").first)
        #expect(point["asInt"] as? String == "9007199254740993")
        #expect(point["startTimeUnixNano"] as? String == "1700000000000000000")
        #expect(point["timeUnixNano"] as? String == "1700000010000000000")
        #expect(Self.texts(point["attributes"] as? [JSON]) == ["client": "Cart"])
        #expect(Self.points(found["heat_joules_total"], "sum").first?["asDouble"] as? Double == 0.25)
        #expect(found["heat_joules_total"]?["unit"] as? String == "J")
        #expect(Self.points(found["memory_bytes"], "gauge").first?["asDouble"] as? Double == -1.5)
        #expect(found["memory_bytes"]?["unit"] as? String == "By")
        #expect((found["build_info"]?["sum"] as? JSON)?["isMonotonic"] == nil)
    }

    @Test("Histograms have buckets, a sum and exemplars with the ids of their traces", .timeLimit(.minutes(10)))
    func histograms() async throws {
        let registry = Registry()
        let histogram = try registry.histogram("wait_seconds", help: "W.", buckets: [0.5, 1])
        for value in [0.5, 0.75, 3] { histogram.observe(value) }
        let trace = "0123456789abcdef0123456789abcdef"
        histogram.observe(0.8, exemplar: ["trace_id": "\(trace)", "span_id": "00000000000000ff", "user": "7"])
        let found = try await metrics(registry.collect(), at: 1_700_000_000)
        let point = try #require(Self.points(found["wait_seconds"], "histogram").first)
        #expect(point["count"] as? String == "4")
        #expect(abs((point["sum"] as? Double ?? 0) - 5.05) < 1e-9)
        #expect(point["bucketCounts"] as? [String] == ["1", "2", "1"])
        #expect(point["explicitBounds"] as? [Double] == [0.5, 1])
        let exemplar = try #require((point["exemplars"] as? [JSON])?.first)
        let id = Data(base64Encoded: exemplar["traceId"] as? String ?? "")
        #expect(id.map { $0.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined() } == trace)
        #expect(Data(base64Encoded: exemplar["spanId"] as? String ?? "")?.count == 8)
        #expect(Self.texts(exemplar["filteredAttributes"] as? [JSON]) == ["user": "7"])
    }

    @Test("Each bucket of an exponential histogram contains the observations that it counts", .timeLimit(.minutes(10)))
    func exponentials() async throws {
        let registry = Registry()
        let histogram = try registry.exponentialHistogram("size", help: "S.")
        let values = [0, 0.25, 1, 2, 2, 100, -3, -4, .nan, .infinity]
        for value in values { histogram.observe(value) }
        let found = try await metrics(registry.collect(), at: 1_700_000_000)
        let point = try #require(Self.points(found["size"], "exponentialHistogram").first)
        #expect(point["count"] as? String == "8" && point["zeroCount"] as? String == "1" && point["sum"] == nil)
        let steps = exp2(Double(point["scale"] as? Int ?? 0))
        for (key, magnitudes) in [("positive", [0.25, 1, 2, 2, 100]), ("negative", [3, 4])] {
            let buckets = point[key] as? JSON
            let offset = buckets?["offset"] as? Int ?? 0
            let counts = (buckets?["bucketCounts"] as? [String] ?? []).compactMap { Int($0) }
            // OTLP: bucket i holds (base^i, base^(i+1)], where base is 2^(1/steps).
            var expected = [Int](repeating: 0, count: counts.count)
            for magnitude in magnitudes {
                let index = Int((log2(magnitude) * steps).rounded(.up)) - 1 - offset
                if expected.indices.contains(index) { expected[index] += 1 }
            }
            #expect(counts == expected && counts.reduce(0, +) == magnitudes.count, "\(key)")
        }
    }

    @Test("Deltas are what was added since the last point, which is their start", .timeLimit(.minutes(10)))
    func deltas() async throws {
        let receiver = try await Receiver()
        let registry = Registry()
        let counter = try registry.counter("jobs_total", help: "J.")
        let classic = try registry.histogram("wait_seconds", help: "W.", buckets: [1])
        let exponential = try registry.exponentialHistogram("size", help: "S.")
        let target = try PushTarget.otlpMetrics(PushEndpoint(receiver.url("")), service: "shop", temporality: .delta)
        var found: [String: JSON] = [:]
        for (time, values) in [(1_700_000_000.0, [0.5, 2, 64]), (1_700_000_060, [0.25, 16])] {
            counter.increment(by: UInt64(values.count))
            for value in values {
                classic.observe(value)
                exponential.observe(value)
            }
            for batch in target.destination.batches(of: registry.collect(), at: time) {
                _ = try await target.destination.send(batch)
            }
            let metrics = try await receiver.request()["otlp", "resourceMetrics", 0, "scopeMetrics", 0, "metrics"]
            for metric in metrics as? [JSON] ?? [] { found[metric["name"] as? String ?? ""] = metric }
        }
        for (name, kind) in [("jobs_total", "sum"), ("wait_seconds", "histogram"), ("size", "exponentialHistogram")] {
            let data = found[name]?[kind] as? JSON
            #expect(data?["aggregationTemporality"] as? String == "AGGREGATION_TEMPORALITY_DELTA")
            let point = try #require(Self.points(found[name], kind).first)
            #expect(point["startTimeUnixNano"] as? String == "1700000000000000000")
            #expect(point["timeUnixNano"] as? String == "1700000060000000000")
            #expect(point[kind == "sum" ? "asInt" : "count"] as? String == "2")
            if kind != "sum" { #expect(point["sum"] as? Double == 16.25) }
        }
        #expect(Self.points(found["wait_seconds"], "histogram").first?["bucketCounts"] as? [String] == ["1", "1"])
    }

    @Test("What a collector refuses although it accepts the request is counted", .timeLimit(.minutes(10)))
    func partialSuccess() async throws {
        let receiver = try await Receiver()
        let registry = Registry()
        let messages = Messages()
        let pusher = try Pusher(
            registry: registry,
            to: [.otlpMetrics(PushEndpoint(receiver.url("/refusing/v1/metrics")), service: "shop")],
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        _ = try await receiver.request()
        running.cancel()
        try await running.value
        let snapshot = registry.collect()
        let refused = snapshot.value(
            "axiom_push_dropped_samples_total",
            ["destination": "otlp_metrics", "reason": "refused"]
        )
        #expect(refused ?? 0 >= 3 && refused?.truncatingRemainder(dividingBy: 3) == 0)
        let totals = try #require(await pusher.pending["otlp_metrics"]?.totals)
        #expect(totals.appended == totals.sent + totals.dropped.values.reduce(0, +))
        try await Loopback.wait(for: "the message") { messages.all.first?.contains("too old") == true }
    }

    @Test(
        "After 503 the request is sent again, when the time that the collector asked for is over",
        .timeLimit(.minutes(10))
    )
    func retryAfter() async throws {
        let receiver = try await Receiver()
        let (registry, time) = (Registry(), ManualTime())
        let pusher = try Pusher(
            registry: registry,
            to: [.otlpMetrics(PushEndpoint(receiver.url("/flaky/1/v1/metrics")), service: "shop")],
            interval: .seconds(60),
            clock: .manual(time),
            onFailure: { _ in }
        )
        let running = Task { try await pusher.run() }
        #expect(try await receiver.request()["answer"] as? Int == 503)
        // The interval, and the seven seconds of the answer, to which a tenth at most is added.
        await time.waitForSleepers(2)
        time.advance(by: .milliseconds(6_999))
        #expect(time.sleeperCount == 2, "nothing is sent before")
        time.advance(by: .milliseconds(701))
        #expect(try await receiver.request()["otlp"] != nil)
        running.cancel()
        try await running.value
        let name = "axiom_push_requests_total"
        let snapshot = registry.collect()
        #expect(snapshot.value(name, ["destination": "otlp_metrics", "outcome": "unavailable"]) == 1)
    }

    @Test(
        "A response that is no message is taken as a success without a part",
        arguments: [[], [0x0a], [0x0a, 0xff], [0xff, 0xff], [0x0a, 0x02, 0x08, 0x05], [0x00, 0x01], [0x0b]] as [[UInt8]]
    )
    func responses(_ bytes: [UInt8]) {
        #expect(ExportResponse(bytes)?.refused ?? 0 == (bytes == [0x0a, 0x02, 0x08, 0x05] ? 5 : 0))
    }

    @Test("Options out of range are refused with the remedy")
    func invalid() throws {
        let telemetry = try Telemetry()
        let calls: [() throws -> PushTarget] = [
            { try .otlpMetrics("http://h", service: "") },
            { try .otlpMetrics("http://h", service: "a", attributes: ["b": "1", "b": "2"]) },
            { try .otlpMetrics("http://h", service: "a", attributes: ["service.name": "2"]) },
            { try .otlpMetrics("http://h", service: "a", attributes: ["": "2"]) },
            { try .otlpTraces(of: telemetry, "http://h", service: "") },
            { try .otlpTraces(of: telemetry, "http://h", service: "a", queueBytes: 0) },
        ]
        for (number, call) in calls.enumerated() {
            let error = #expect(throws: PushError.self, "call \(number)") { _ = try call() }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}
