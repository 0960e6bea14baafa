// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

@Suite(
    "Remote write, decoded by protobuf of PyPI",
    .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
)
struct RemoteWriteTests {
    /// Sends the batches of one snapshot and returns the series that arrived.
    private func series(
        _ batches: [PushBatch],
        _ target: PushTarget,
        _ receiver: Receiver
    ) async throws
        -> [Receiver.Series]
    {
        var found: [Receiver.Series] = []
        for batch in batches {
            #expect(try await target.destination.send(batch) == PushReceipt())
            let request = try await receiver.request()
            #expect(request.method == "POST" && request.header("Content-Encoding") == "snappy")
            #expect(request.header("Content-Type") == "application/x-protobuf")
            #expect(request.header("X-Prometheus-Remote-Write-Version") == "0.1.0")
            #expect(request.series.count == batch.samples)
            found += request.series
        }
        return found
    }

    @Test("Every series of a snapshot arrives with its exact value, time, and sorted labels", .timeLimit(.minutes(10)))
    func values() async throws {
        let registry = Registry()
        let counters = try registry.counters(
            "visits_total",
            help: "V.",
            labels: Label<String>("zone"),
            Label<String>("A")
        )
        for value in ["", "a", "\"\\\n", "👩‍👩‍👧‍👦"] { counters(value, "x").increment(by: 5) }
        let gauges = try registry.gauges("odd", help: "O.", labels: Label<Int>("n"))
        let odd: [Double] = [.nan, .infinity, -.infinity, -0.0, .leastNonzeroMagnitude, .greatestFiniteMagnitude, 0.1]
        for (number, value) in odd.enumerated() { gauges(number).set(value) }
        try registry.info("build_info", help: "B.", ["version": "1"])
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(
            PushEndpoint(receiver.url("/write")),
            externalLabels: ["job": "shop", "zone": "none"],
            samplesPerRequest: 5
        )
        let batches = target.destination.batches(of: registry.collect(), at: 1_700_000_000.1234)
        #expect(batches.map(\.samples) == [5, 5, 2])
        let found = try await series(batches, target, receiver)
        for one in found {
            #expect(one.names == one.names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) })
            #expect(Set(one.names).count == one.names.count && one.labels["job"] == "shop")
            #expect(one.time == 1_700_000_000_123)
        }
        let zones = found.filter { $0.name == "visits_total" }.map { $0.labels["zone"] }
        // A label without a value is absent, so the external one applies.
        #expect(Set(zones) == ["none", "a", "\"\\\n", "👩‍👩‍👧‍👦"])
        for (number, value) in odd.enumerated() {
            let bits = found.first { $0.name == "odd" && $0.labels["n"] == "\(number)" }?.bits
            let expected = String(value.bitPattern, radix: 16)
            #expect(bits == String(repeating: "0", count: 16 - expected.count) + expected, "\(value)")
        }
    }

    @Test("Classic histograms are series of cumulative buckets, sum and count, with their exemplars")
    func classic() async throws {
        let registry = Registry()
        let histogram = try registry.histogram("wait_seconds", help: "W.", buckets: [0.5, 1, 2])
        for value in [0.5, 0.75, 0.75, 3] { histogram.observe(value) }
        histogram.observe(1.5, exemplar: ["trace_id": "beef"])
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(PushEndpoint(receiver.url("/write")))
        let batches = target.destination.batches(of: registry.collect(), at: 10)
        let found = try await series(batches, target, receiver)
        let buckets = found.filter { $0.name == "wait_seconds_bucket" }
        #expect(buckets.map { $0.labels["le"] } == ["0.5", "1.0", "2.0", "+Inf"])
        #expect(buckets.map(\.value) == [1, 3, 4, 5])
        #expect(found.first { $0.name == "wait_seconds_count" }?.value == 5)
        #expect(found.first { $0.name == "wait_seconds_sum" }?.value == 6.5)
        #expect(buckets.map(\.exemplars.count) == [0, 0, 1, 0])
        let exemplar = try #require(buckets[2].exemplars.first)
        #expect(exemplar["labels"] as? [String: String] == ["trace_id": "beef"] && exemplar["value"] as? Double == 1.5)
    }

    @Test("Exponential histograms are native ones, classic ones or both", arguments: ["classic", "native", "both"])
    func exponential(_ name: String) async throws {
        let form: PushTarget.HistogramForm = name == "classic" ? .classic : name == "native" ? .native : .both
        let registry = Registry()
        let histogram = try registry.exponentialHistogram("size", help: "S.", buckets: [1, 10])
        for value in [0, -3, 0.25, 2, 2, 100, 1e6] { histogram.observe(value) }
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(PushEndpoint(receiver.url("/write")), histograms: form)
        let batches = target.destination.batches(of: registry.collect(), at: 10)
        let found = try await series(batches, target, receiver)
        #expect(found.contains { $0.name == "size_bucket" } == (name != "native"))
        let native = found.first { $0.name == "size" }?.histogram
        guard name != "classic" else { return #expect(native == nil) }
        let message = try #require(native)
        #expect(message["count_int"] as? String == "7" && message["zero_count_int"] as? String == "1")
        #expect(message["timestamp"] as? String == "10000")
        let data = try #require(registry.collect().series("size")?.exponential)
        #expect(message["schema"] as? Int ?? 0 == data.schema)
        for (key, buckets) in [("positive", data.positive), ("negative", data.negative)] {
            let spans = message["\(key)_spans"] as? [[String: Any]] ?? []
            var deltas = (message["\(key)_deltas"] as? [String] ?? []).compactMap { Int64($0) }[...]
            var (index, count, decoded) = (0, Int64(0), [Int: UInt64]())
            for span in spans {
                index += span["offset"] as? Int ?? 0
                for _ in 0..<(span["length"] as? Int ?? 0) {
                    count += deltas.popFirst() ?? 0
                    if count > 0 { decoded[index] = UInt64(count) }
                    index += 1
                }
            }
            let expected = buckets.indices.filter { buckets[$0] > 0 }.map { ($0, buckets[$0]) }
            #expect(decoded == Dictionary(uniqueKeysWithValues: expected), "\(key)")
        }
    }

    @Test("A series that disappears gets one stale marker, and all others get one at the end")
    func staleMarkers() async throws {
        func snapshot(_ names: [String]) throws -> Snapshot {
            let registry = Registry()
            for name in names { try registry.gauge(name, help: "G.").set(1) }
            return registry.collect()
        }
        let receiver = try await Receiver()
        let target = try PushTarget.remoteWrite(PushEndpoint(receiver.url("/write")))
        var ended: [[String]] = []
        for (number, names) in [["a", "b", "c"], ["a"], ["a", "c"], ["c"]].enumerated() {
            let batches = target.destination.batches(of: try snapshot(names), at: Double(number + 1))
            let found = try await series(batches, target, receiver)
            #expect(found.filter { !$0.isStale }.map(\.name) == names)
            ended.append(found.filter(\.isStale).map(\.name).sorted())
            #expect(found.allSatisfy { $0.time == Int64(number + 1) * 1_000 })
        }
        #expect(ended == [[], ["b", "c"], [], ["a"]])
        let last = try await series(target.destination.lastBatches(at: 9), target, receiver)
        #expect(last.map(\.name) == ["c"] && last.allSatisfy(\.isStale))
        #expect(target.destination.lastBatches(at: 10).isEmpty)
    }

    @Test(
        "A refusal names what only remote write needs: the feature of native histograms, or the window of old samples",
        .timeLimit(.minutes(10)),
        arguments: [(500, "--enable-feature=native-histograms"), (400, "out_of_order_time_window")]
    )
    func remedies(_ status: Int, _ remedy: String) async throws {
        let receiver = try await Receiver()
        let batch = PushBatch(samples: 1, bytes: [])
        for form in [PushTarget.HistogramForm.classic, .native, .both] {
            let target = try PushTarget.remoteWrite(PushEndpoint(receiver.url("/status/\(status)")), histograms: form)
            let error = await #expect(throws: PushError.self) { _ = try await target.destination.send(batch) }
            let isNamed = error?.message.contains(remedy)
            #expect(isNamed == (status == 400 || form != .classic), "\(error?.message ?? "")")
        }
    }

    @Test("Options out of range are refused with the remedy")
    func invalid() {
        let calls: [() throws -> PushTarget] = [
            { try .remoteWrite("http://h/write", externalLabels: ["a-b": "1"]) },
            { try .remoteWrite("http://h/write", externalLabels: ["a": "1", "a": "2"]) },
            { try .remoteWrite("http://h/write", queueBytes: 0) },
            { try .remoteWrite("http://h/write", samplesPerRequest: 0) },
            { try .remoteWrite("nonsense:") },
        ]
        for (number, call) in calls.enumerated() {
            let error = #expect(throws: PushError.self, "call \(number)") { _ = try call() }
            #expect(error?.code == .invalidConfiguration)
        }
    }
}

@Suite(
    "Remote write to a real Prometheus",
    .enabled(if: ExternalTool.prometheus.mayRun, Comment(rawValue: ExternalTool.prometheus.installation))
)
struct RemoteWritePrometheusTests {
    private static func makePrometheus(port: Int = 0) async throws -> PrometheusServer {
        try await PrometheusServer(
            configuration: "global: {scrape_interval: 1m}\n",
            features: ["native-histograms", "exemplar-storage"],
            options: ["--web.enable-remote-write-receiver"],
            port: port
        )
    }

    /// The values of all series of a name by their labels without name, job and instance.
    private static func values(
        _ name: String,
        _ prometheus: PrometheusServer
    ) async throws -> [[String: String]: Double] {
        let samples = try await prometheus.samples(of: name)
        return Dictionary(
            samples.map { ($0.labels.filter { !["__name__", "job", "instance"].contains($0.key) }, $0.value) },
            uniquingKeysWith: { first, _ in first }
        )
    }

    @Test(
        "What it stores is what the registry has; the end of the pusher is the end of its series",
        .timeLimit(.minutes(10))
    )
    func stored() async throws {
        let registry = Registry()
        let visits = try registry.counters("shop_visits_total", help: "V.", labels: Label<String>("a"))
        for (number, value) in ["x", "\"", "\\", "\n", "שלום"].enumerated() {
            visits(value).increment(by: UInt64(number + 1))
        }
        visits("traced").increment(by: 3, exemplar: ["trace_id": "c0ffee"])
        let wait = try registry.histogram("wait_seconds", help: "W.", buckets: [1, 2])
        for value in [0.5, 1.5, 9] { wait.observe(value) }
        let size = try registry.exponentialHistogram("size", help: "S.", buckets: [1, 10])
        for value in [0, -3, 0.25, 2, 2, 100] { size.observe(value) }
        let prometheus = try await Self.makePrometheus()
        let pusher = try Pusher(
            registry: registry,
            to: [
                .remoteWrite(
                    PushEndpoint("\(prometheus.url)/api/v1/write"),
                    externalLabels: ["job": "shop", "instance": "one"],
                    histograms: .both,
                    samplesPerRequest: 7
                )
            ],
            interval: .seconds(1),
            // The default of 5 s is not enough for all requests beside a full load.
            finalTimeout: .seconds(60)
        )
        let running = Task { try await pusher.run() }
        // The last family of a snapshot.
        try await Loopback.wait(for: "the series") { try await prometheus.value(of: "wait_seconds_count") == 3 }
        #expect(try await prometheus.value(of: "size") == 6)
        for name in ["shop_visits_total", "wait_seconds_bucket", "wait_seconds_sum", "wait_seconds_count"] {
            let found = try await Self.values(name, prometheus)
            let snapshot = registry.collect()
            if name == "shop_visits_total" {
                #expect(found.count == 6)
                for (labels, value) in found { #expect(snapshot.value(name, labels) == value) }
            }
            if name == "wait_seconds_bucket" {
                #expect(found == [["le": "1.0"]: 1, ["le": "2.0"]: 2, ["le": "+Inf"]: 3])
            }
            if name == "wait_seconds_sum" { #expect(found == [[:]: 11]) }
        }
        #expect(try await prometheus.value(of: "histogram_count(size)") == 6)
        #expect(try await prometheus.value(of: "histogram_sum(size)") == 101.25)
        let exemplars = try await prometheus.exemplars(of: "shop_visits_total")
        #expect(exemplars.map(\.labels) == [["trace_id": "c0ffee"]])
        visits("x").increment(by: 100)
        running.cancel()
        try await running.value
        // The series have ended, and the last push is in them.
        try await Loopback.wait(for: "the end") { try await prometheus.samples(of: "shop_visits_total").isEmpty }
        #expect(try await prometheus.value(of: "last_over_time(shop_visits_total{a=\"x\"}[5m])") == 101)
        #expect(try await prometheus.samples(of: "size").isEmpty)
        let snapshot = registry.collect()
        #expect(snapshot.total("axiom_push_dropped_samples_total") == 0)
        #expect(snapshot.total("axiom_push_queue_bytes") == 0)
    }

    @Test("It gets everything by 2.0 if it takes that, and by 1.0 otherwise", .timeLimit(.minutes(10)))
    func version2() async throws {
        let registry = Registry()
        let visits = try registry.counters("shop_visits_total", help: "V.", labels: Label<String>("a"))
        for value in ["x", "\"", "é", "שלום"] { visits(value).increment(by: 7, exemplar: ["trace_id": "c0ffee"]) }
        let size = try registry.exponentialHistogram("size", help: "S.", buckets: [1, 10])
        let prometheus = try await Self.makePrometheus()
        let messages = Messages()
        let pusher = try Pusher(
            registry: registry,
            to: [
                .remoteWrite(
                    PushEndpoint("\(prometheus.url)/api/v1/write"),
                    histograms: .both,
                    version: .v2,
                    samplesPerRequest: 7
                )
            ],
            interval: .milliseconds(200),
            finalTimeout: .seconds(60),
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        for (number, value) in [100, 0.25, -3].enumerated() {
            size.observe(value, exemplar: ["trace_id": "\(number)"])
            try await Loopback.wait(for: "observation \(number)") {
                try await prometheus.value(of: "histogram_count(size)") == Double(number + 1)
            }
        }
        let found = try await Self.values("shop_visits_total", prometheus)
        #expect(found == [["a": "x"]: 7, ["a": "\""]: 7, ["a": "é"]: 7, ["a": "שלום"]: 7])
        #expect(
            try await Self.values("size_bucket", prometheus) == [
                ["le": "1.0"]: 2, ["le": "10.0"]: 2, ["le": "+Inf"]: 3,
            ]
        )
        #expect(try await Set(prometheus.exemplars(of: "size").map(\.value)) == [100, 0.25, -3])
        #expect(try await prometheus.exemplars(of: "shop_visits_total").count == 4)
        running.cancel()
        try await running.value
        let totals = try #require(await pusher.pending["remote_write"]?.totals)
        #expect(totals.appended == totals.sent)
        #expect(try await prometheus.samples(of: "{__name__=~\"size.*|shop.*\"}").isEmpty)
        // 2.54 is the first one that takes 2.0. It answers 400 to nothing.
        let page = try await Loopback.text("\(prometheus.url)/metrics")
        let version = try #require(page.firstMatch(of: /prometheus_build_info\{.*version="([0-9]+)\.([0-9]+)/))
        let takes2 = (Int(version.1) ?? 0, Int(version.2) ?? 0) >= (2, 54)
        #expect(messages.all.count == (takes2 ? 0 : 1), "\(messages.all)")
        let answers = page.matches(of: /http_requests_total\{code="([0-9]+)",handler="\/api\/v1\/write"\}/).map(\.1)
        #expect(Set(answers).subtracting(["200"]) == ["204"])
    }

    @Test("While it is away requests wait in order; when it is back, all of them arrive", .timeLimit(.minutes(10)))
    func restart() async throws {
        let first = try await Self.makePrometheus()
        let port = try #require(Int(first.url.split(separator: ":").last ?? ""))
        let registry = Registry()
        let ticks = try registry.gauge("ticks", help: "T.")
        let time = ManualTime(secondsSinceEpoch: Date().timeIntervalSince1970 - 100)
        let messages = Messages()
        let pusher = try Pusher(
            registry: registry,
            to: [.remoteWrite(PushEndpoint("\(first.url)/api/v1/write"))],
            interval: .seconds(1),
            attempts: 1,
            clock: .manual(time),
            onFailure: { messages.add($0) }
        )
        let running = Task { try await pusher.run() }
        await time.waitForSleepers(1)
        try await Loopback.wait(for: "the first push") { await pusher.pending["remote_write"]?.totals.sent ?? 0 > 0 }
        await first.kill()
        for tick in 1...5 {
            ticks.set(Double(tick))
            time.advance(by: .seconds(1))
            await time.waitForSleepers(1)
        }
        try await Loopback.wait(for: "a failure") { !messages.all.isEmpty }
        let waiting = await pusher.pending["remote_write"]
        #expect(waiting?.samples ?? 0 > 5)
        let second = try await Self.makePrometheus(port: port)
        ticks.set(6)
        time.advance(by: .seconds(1))
        await time.waitForSleepers(1)
        try await Loopback.wait(for: "all of them") { await pusher.pending["remote_write"]?.isEmpty == true }
        // One sample each second, none is lost.
        let query = "count_over_time(ticks[10m])"
        #expect(try await second.samples(of: query, at: Date().timeIntervalSince1970).first?.value == 6)
        #expect(registry.collect().total("axiom_push_dropped_samples_total") == 0)
        running.cancel()
        await time.waitForSleepers(0)
        try await running.value
        let totals = try #require(await pusher.pending["remote_write"]?.totals)
        #expect(totals.appended == totals.sent)
    }
}
