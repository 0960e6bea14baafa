// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import AxiomExporter
import AxiomMetrics

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
