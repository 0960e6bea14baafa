// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import AxiomMetrics
import AxiomPush
import CSnappy

/// What it costs to encode a snapshot for a receiver that is pushed to, beside what no encoder can avoid.
enum PushSuite {
    static let suite = BenchmarkSuite("push") { suite in
        addEncoding(to: &suite)
        addRatios(to: &suite)
    }

    private static func addEncoding(to suite: inout BenchmarkSuite) {
        suite.add("remote-write.10k", options: options, fixture: try PushPress.remoteWrite()) { press, iterations in
            for _ in 0..<iterations { blackHole(press.encode()) }
        }
        suite.add("remote-write.floor.10k", options: options, fixture: try WriteFloor()) { floor, iterations in
            for _ in 0..<iterations { blackHole(floor.encode()) }
        }
        var otlp = options
        // Version 1 had the number of the process in each request.
        otlp.version = 2
        suite.add("otlp.10k", options: otlp, fixture: try PushPress.otlp()) { press, iterations in
            for _ in 0..<iterations { blackHole(press.encode()) }
        }
    }

    private static var options: BenchmarkOptions {
        var options = BenchmarkOptions()
        options.countedIterations = SamplePage.protobuf.options.countedIterations
        return options
    }

    /// Both sides in turns in one process.
    private static func addRatios(to suite: inout BenchmarkSuite) {
        suite.addValue("remote-write.times-floor", unit: "x floor", kind: .information) {
            let (press, floor) = (try PushPress.remoteWrite(), try WriteFloor())
            return try await ratio({ blackHole(press.encode()) }, { blackHole(floor.encode()) })
        }
        suite.addValue("otlp.times-protobuf", unit: "x page", kind: .information) {
            let (press, page) = (try PushPress.otlp(), try SamplePage.protobuf.press())
            return try await ratio({ blackHole(press.encode()) }, { page.encode() })
        }
    }

    private static func ratio(_ first: () -> Void, _ second: () -> Void) async throws -> Double {
        try await withoutActuallyEscaping(first) { first in
            try await withoutActuallyEscaping(second) { second in
                let times = try await Turns.times(rounds: 41, iterations: 1, [{ _ in first() }, { _ in second() }])
                return times[0] / times[1]
            }
        }
    }
}

/// Encodes the sample metrics for one receiver.
final class PushPress: Sendable {
    private let snapshot: Snapshot
    private let destination: any PushDestination

    private init(_ target: PushTarget) throws {
        // The time of creation takes more or fewer bytes: here it is always the same.
        let clock = TimeSource.manual(ManualTime(secondsSinceEpoch: 1_700_000_000.5))
        snapshot = try SampleData.makeRegistry(clock: clock).collect()
        destination = target.destination
    }

    /// Requests of 2,000 samples each, compressed.
    static func remoteWrite() throws -> PushPress {
        try PushPress(
            .remoteWrite("http://127.0.0.1:9090/api/v1/write", externalLabels: ["job": "bench", "instance": "bench-1"])
        )
    }

    /// The instance would be the number of the process, which has other digits in each run.
    static func otlp() throws -> PushPress {
        let instance: KeyValuePairs = ["service.instance.id": "bench-1"]
        return try PushPress(.otlpMetrics("http://127.0.0.1:4318", service: "bench", attributes: instance))
    }

    func encode() -> [PushBatch] { destination.batches(of: snapshot, at: 1_700_000_060) }
}

/// The least that the requests of remote write can cost: the messages of all series are ready, and are only put together
/// and compressed.
final class WriteFloor: Sendable {
    private let requests: [[[UInt8]]]

    init() throws {
        requests = try PushPress.remoteWrite().encode().map { Self.messages(try Self.uncompressed($0.bytes)) }
    }

    func encode() -> [[UInt8]] {
        requests.map { messages in
            var request: [UInt8] = []
            for message in messages { request += message }
            return Self.compressed(request)
        }
    }

    private struct Unreadable: Error {}

    private static func uncompressed(_ bytes: [UInt8]) throws -> [UInt8] {
        try bytes.withUnsafeBytes { source in
            let source = source.assumingMemoryBound(to: CChar.self)
            var length = 0
            guard snappy_uncompressed_length(source.baseAddress, source.count, &length) == SNAPPY_OK else {
                throw Unreadable()
            }
            return try filled(length) {
                snappy_uncompress(source.baseAddress, source.count, $0, $1)
            }
        }
    }

    private static func compressed(_ bytes: [UInt8]) -> [UInt8] {
        bytes.withUnsafeBytes { source in
            let source = source.assumingMemoryBound(to: CChar.self)
            let result = try? filled(snappy_max_compressed_length(source.count)) {
                snappy_compress(source.baseAddress, source.count, $0, $1)
            }
            return result ?? []
        }
    }

    private static func filled(
        _ length: Int,
        _ body: (UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<Int>) -> snappy_status
    ) throws -> [UInt8] {
        try [UInt8](unsafeUninitializedCapacity: length) { target, count in
            try target.withMemoryRebound(to: CChar.self) { target in
                count = length
                guard body(target.baseAddress, &count) == SNAPPY_OK else { throw Unreadable() }
            }
        }
    }

    /// The fields of a request, each with its tag and its length.
    private static func messages(_ request: [UInt8]) -> [[UInt8]] {
        var (messages, start) = ([[UInt8]](), 0)
        while start < request.count {
            var (index, length, shift) = (start + 1, 0, 0)
            repeat {
                length |= Int(request[index] & 0x7f) << shift
                (index, shift) = (index + 1, shift + 7)
            } while request[index - 1] >= 0x80
            messages.append(Array(request[start..<(index + length)]))
            start = index + length
        }
        return messages
    }
}
