// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomPush

/// Registries with random metrics.
private struct RandomMetrics {
    var generator: SplitMix64
    private static let texts = ["", "a", "é", "e\u{301}", "\"\\\n", "🚀", "sent_bytes_total", "x y", "\u{0}"]

    /// A snapshot with some of the families, labels and values that there can be.
    mutating func snapshot(at time: ManualTime) throws -> Snapshot {
        let registry = Registry(clock: .manual(time))
        let label = (Label<String>("zone"), Label<String>("é"))
        for number in 0..<Int.random(in: 0..<3, using: &generator) {
            let options = Bool.random(using: &generator) ? MetricOptions.unit("bytes") : MetricOptions()
            let help = text()
            let counters = try registry.counters(
                "c\(number)_bytes_total",
                help: help + "C",
                labels: label.0,
                options: options
            )
            let gauges = try registry.gauges("g\(number)_bytes", help: "G" + help, labels: label.0, options: options)
            let classic = try registry.histograms("h\(number)", help: "H", labels: label.0, buckets: [-1, 0.5, 10])
            let exponential = try registry.exponentialHistograms(
                "e\(number)",
                help: "E",
                labels: label.0,
                buckets: number == 0 ? [] : [1, 100]
            )
            for _ in 0..<Int.random(in: 0..<4, using: &generator) {
                time.advance(by: .milliseconds(Int.random(in: 1..<5_000, using: &generator)))
                counters(text()).increment(
                    by: UInt64.random(in: 0..<(1 << 60), using: &generator),
                    exemplar: ["n": text()]
                )
                gauges(text()).set(value())
                let zone = text()
                for _ in 0..<Int.random(in: 0..<9, using: &generator) {
                    classic(zone).observe(value(), exemplar: ["z": text(), "a": "1"])
                    time.advance(by: .milliseconds(3))
                    exponential(zone).observe(value(), exemplar: ["n": "\(Int.random(in: 0..<9, using: &generator))"])
                }
            }
        }
        try registry.info("build_info", help: "B" + text(), ["version": "1" + text()])
        time.advance(by: .seconds(1))
        return registry.collect()
    }

    private mutating func text() -> String { Self.texts.randomElement(using: &generator) ?? "" }

    private mutating func value() -> Double {
        let special = [0, -0.0, .nan, .infinity, -.infinity, .leastNonzeroMagnitude, 1e308]
        let usual = Double.random(in: -100...100, using: &generator)
        return Bool.random(using: &generator) ? usual : special.randomElement(using: &generator) ?? 0
    }
}

/// A series without what only 2.0 has.
private struct CommonSeries: Hashable {
    let labels: [String]
    let bits: String
    let time: Int64
    let histogram: String
    let exemplars: [String]

    init(_ series: Receiver.Series) {
        labels = series.names.map { "\(Array($0.utf8))=\(Array((series.labels[$0] ?? "").utf8))" }
        (bits, time) = (series.bits, series.time)
        histogram = Self.json(series.histogram ?? [:])
        exemplars = series.exemplars.map(Self.json)
    }

    private static func json(_ value: [String: Any]) -> String {
        let data = try? JSONSerialization.data(withJSONObject: value, options: .sortedKeys)
        return String(decoding: data ?? Data(), as: UTF8.self)
    }
}

@Suite("Both versions of remote write", .timeLimit(.minutes(10)))
struct RemoteWriteVersionsTests {
    private static func target(
        _ url: String,
        _ version: PushTarget.RemoteWriteVersion,
        _ limit: Int
    ) throws -> PushTarget {
        try .remoteWrite(
            PushEndpoint(url),
            externalLabels: ["job": "shop", "zone": "none"],
            histograms: .both,
            version: version,
            samplesPerRequest: limit
        )
    }

    @Test(
        "Random snapshots have the same series, values, times and exemplars in 1.0 and in 2.0",
        .enabled(if: ExternalTool.telemetryPython.mayRun, Comment(rawValue: ExternalTool.telemetryPython.installation))
    )
    func same() async throws {
        var metrics = RandomMetrics(generator: SplitMix64(seed: TestSeed.drawn()))
        let receiver = try await Receiver()
        for round in 0..<TestScale.count(200) {
            let limit = Int.random(in: 1...40, using: &metrics.generator)
            let targets = try [
                Self.target(receiver.url("/write1"), .v1, limit), Self.target(receiver.url("/write2"), .v2, limit),
            ]
            let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
            for push in 0..<3 {
                let snapshot = try metrics.snapshot(at: time)
                var found: [[CommonSeries]] = []
                for target in targets {
                    var series: [Receiver.Series] = []
                    for batch in target.destination.batches(of: snapshot, at: TimeSource.manual(time).secondsSinceEpoch)
                    {
                        #expect(try await target.destination.send(batch) == PushReceipt())
                        let request = try await receiver.request()
                        #expect(request.problems == [])
                        series += request.series
                    }
                    found.append(series.map(CommonSeries.init))
                }
                #expect(found[0].count == found[1].count, "round \(round), push \(push)")
                #expect(Set(found[0]) == Set(found[1]), "round \(round), push \(push)")
            }
        }
    }

    @Test("A request of 2.0 that is converted is the request of 1.0, byte by byte, and other bytes are not converted")
    func converted() throws {
        var metrics = RandomMetrics(generator: SplitMix64(seed: TestSeed.drawn()))
        for round in 0..<TestScale.count(2_000) {
            let limit = Int.random(in: 1...100, using: &metrics.generator)
            let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
            let snapshot = try metrics.snapshot(at: time)
            let batches = try [PushTarget.RemoteWriteVersion.v1, .v2].map {
                try Self.target("http://h/", $0, limit).destination.batches(of: snapshot, at: 1_800_000_000)
            }
            #expect(batches[0].map(\.samples) == batches[1].map(\.samples))
            for (old, new) in zip(batches[0], batches[1]) {
                #expect(RequestConversion.version1(new.bytes) == old.bytes, "round \(round)")
                #expect(RequestConversion.version1(old.bytes) == nil)
            }
        }
        for bytes in [[], [1], SnappyBlock.compress([1, 2, 3]), SnappyBlock.compress(Array("nonsense".utf8))] {
            #expect(RequestConversion.version1(bytes) == nil)
        }
    }

    @Test("Symbols differ if their bytes differ")
    func symbols() {
        var table = SymbolTable()
        let references = ["", "é", "e\u{301}", "a", "é"].map { table.reference(to: $0) }
        #expect(references == [0, 1, 2, 3, 1] && table.texts.count == 4)
    }

    @Test("Versions differ, and what a receiver wrote is at most what was sent")
    func written() {
        #expect(PushTarget.RemoteWriteVersion.v1 != .v2)
        func written(_ fields: [String]) -> (known: Bool, count: Int) {
            let pairs = zip(WrittenSamples.fields, fields).filter { $0.1 != "-" }
            let fields = Dictionary(uniqueKeysWithValues: pairs.map { ($0, $1) })
            let response = TransferResponse(status: 204, body: [], retryAfter: nil, fields: fields)
            let samples = WrittenSamples(response, of: 10)
            return (samples.isKnown, samples.count)
        }
        #expect(written(["-", "-", "-"]) == (false, 0) && written(["-", "-", "3"]) == (true, 0))
        #expect(written(["4", "-"]) == (true, 4) && written(["4", "5", "9"]) == (true, 9))
        #expect(written(["\(Int.max)", "\(Int.max)"]) == (true, 10) && written(["-5", "x"]) == (true, 0))
    }
}
