// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import AxiomExporter
import AxiomMetrics

/// The metrics of a mid-size service: 10,000 counters with two labels and 1,000 histograms of 11 buckets, 1 MB as text.
enum SampleData {
    /// - Parameter clock: Says when series were created.
    static func makeRegistry(clock: TimeSource = .live) throws -> Registry {
        let registry = Registry(clock: clock)
        let options = MetricOptions(seriesLimit: 10_000)
        let requests = try registry.counters(
            "app_requests_total",
            help: "Requests served, by route and status.",
            labels: Label<String>("r"),
            Label<Int>("code"),
            options: options
        )
        for route in 0..<1_000 {
            for status in 0..<10 {
                requests("\(route)", 200 + status).increment(by: UInt64(route * 10 + status) * 37 % 1_000_003)
            }
        }
        let latencies = try registry.histograms(
            "app_seconds",
            help: "Time to serve a request, by route.",
            labels: Label<String>("r"),
            options: options
        )
        for route in 0..<1_000 {
            let latency = latencies("\(route)")
            for step in 1...60 { latency.observe(Double((route + 1) * step * 7_919 % 12_000) / 1_000) }
        }
        return registry
    }

    /// Counters and histograms, each one series.
    static let series = 11_000
}

/// The sample metrics as a page of one format.
struct SamplePage: Sendable {
    let name: String
    let format: ExpositionFormat
    /// The size of the page, stated so that throughput is known without encoding it. ``press()`` throws where it differs.
    let bytes: Int
    /// The least throughput that is wanted, in MB/s.
    let throughput: Double

    static let text = SamplePage(name: "text", format: .text, bytes: 1_004_813, throughput: 1_000)
    static let openMetrics = SamplePage(name: "openmetrics", format: .openMetrics, bytes: 1_004_807, throughput: 800)
    static let openMetrics2 = SamplePage(name: "openmetrics2", format: .openMetrics2, bytes: 776_249, throughput: 800)
    static let protobuf = SamplePage(name: "protobuf", format: .protobuf, bytes: 682_908, throughput: 800)

    /// A page grew or shrank.
    struct SizeChanged: Error, CustomStringConvertible {
        let description: String
    }

    /// What encodes the page.
    func press() throws -> Press {
        // The time of a series' creation takes more or fewer bytes in protobuf: here it is always the same.
        let clock = TimeSource.manual(ManualTime(secondsSinceEpoch: 1_700_000_000.5))
        let press = Press(try SampleData.makeRegistry(clock: clock).collect(), format)
        guard press.bytes == bytes else {
            throw SizeChanged(
                description: "the page \(name) has \(press.bytes) bytes, and SamplePage.swift says \(bytes)"
            )
        }
        return press
    }

    /// The options of a benchmark that works through the page.
    var options: BenchmarkOptions {
        var options = BenchmarkOptions()
        options.bytesPerIteration = Double(bytes)
        // A page is 11,000 series: what one of them would ask for is seen in a few pages.
        options.countedIterations = 4
        return options
    }

    /// The least throughput as the most time.
    var goal: BenchmarkGoal {
        .atMost(Double(bytes) / throughput * 1_000, "at least \(Int(throughput)) MB/s, in ns a page")
    }
}

/// Encodes one snapshot again and again into one buffer, as the exporter does.
final class Press: Sendable {
    private let snapshot: Snapshot
    private let format: ExpositionFormat
    private let buffer = Lock(ExpositionBuffer())

    init(_ snapshot: Snapshot, _ format: ExpositionFormat) {
        self.snapshot = snapshot
        self.format = format
        // So that what is rendered once is there, and the buffer has grown.
        encode()
    }

    func encode() {
        buffer.withLock { buffer in
            buffer.removeAll()
            format.encode(snapshot, into: &buffer)
        }
    }

    /// A copy of the page.
    var page: [UInt8] {
        buffer.withLock { $0.bytes }
    }

    /// The bytes of a page.
    var bytes: Int {
        buffer.withLock { $0.count }
    }
}
