// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// Writes exponential buckets as a native histogram: spans of consecutive buckets, and the difference between each bucket
/// and the previous one.
///
/// Infinities count in the bucket after the one of the largest finite number, as in Prometheus' Go client.
package struct NativeBuckets {
    /// The keys of the fields: `io.prometheus.client.Histogram` and the `Histogram` of remote write have the same fields
    /// under other numbers.
    package struct Keys: Sendable {
        let schema: UInt8
        let zeroThreshold: UInt8
        let zeroCount: UInt8
        let negativeSpan: UInt8
        let negativeDelta: UInt8
        let positiveSpan: UInt8
        let positiveDelta: UInt8

        /// Those of a page.
        package static let page = Keys(
            schema: Proto.Histogram.schema,
            zeroThreshold: Proto.Histogram.zeroThreshold,
            zeroCount: Proto.Histogram.zeroCount,
            negativeSpan: Proto.Histogram.negativeSpan,
            negativeDelta: Proto.Histogram.negativeDelta,
            positiveSpan: Proto.Histogram.positiveSpan,
            positiveDelta: Proto.Histogram.positiveDelta
        )
        /// Those of remote write, the same in 1.0 and 2.0:
        /// https://github.com/prometheus/prometheus/blob/main/prompb/types.proto
        package static let remoteWrite = Keys(
            schema: 0x20,
            zeroThreshold: 0x29,
            zeroCount: 0x30,
            negativeSpan: 0x42,
            negativeDelta: 0x4a,
            positiveSpan: 0x5a,
            positiveDelta: 0x62
        )
    }

    /// Up to this many empty buckets are written, because a new span would take more bytes.
    private static let bridgedGap = 2

    let data: ExponentialHistogramData
    private let keys: Keys
    /// The bucket of infinities.
    let overflow: Int

    package init(_ data: ExponentialHistogramData, _ keys: Keys = .page) {
        self.data = data
        self.keys = keys
        overflow = ExponentialScale.shared.index(of: .greatestFiniteMagnitude, schema: data.schema) + 1
    }

    /// Appends the fields of a histogram from its schema to its buckets.
    package func write(into buffer: inout ExpositionBuffer) {
        buffer.reserve(64)
        buffer.put(keys.schema)
        buffer.putVarint(Proto.zigZag(Int64(data.schema)))
        buffer.put(keys.zeroThreshold)
        buffer.putLittleEndian(data.zeroThreshold)
        buffer.put(keys.zeroCount)
        buffer.putVarint(data.zeroCount)
        write(negative, keys.negativeSpan, keys.negativeDelta, &buffer)
        write(positive, keys.positiveSpan, keys.positiveDelta, &buffer)
        if data.zeroThreshold == 0, data.zeroCount == 0, data.count == 0 {
            // An empty span marks the histogram as a native one.
            buffer.put(keys.positiveSpan)
            buffer.put(0 as UInt8)
        }
    }

    /// The buckets of one sign.
    struct Side {
        let buckets: ExponentialBuckets
        /// The observations of infinity.
        let overflow: UInt64

        /// Whether there are no observations.
        var isEmpty: Bool { buckets.isEmpty && overflow == 0 }
    }

    var negative: Side { Side(buckets: data.negative, overflow: data.negativeInfinities) }
    var positive: Side { Side(buckets: data.positive, overflow: data.positiveInfinities) }

    private func write(_ side: Side, _ spanKey: UInt8, _ deltaKey: UInt8, _ buffer: inout ExpositionBuffer) {
        if side.isEmpty { return }
        // A span takes at most 18 bytes and stands for at least one bucket, a difference takes at most 10.
        buffer.reserve((side.buckets.counts.count + 2) * 28 + 16)
        var previousEnd = 0
        forEachRun(side, bridging: Self.bridgedGap) { run in
            buffer.put(spanKey)
            buffer.putMessage(room: 1) { buffer in
                buffer.put(Proto.Span.offset)
                buffer.putVarint(Proto.zigZag(Int64(run.lowerBound - previousEnd)))
                buffer.put(Proto.Span.length)
                buffer.putVarint(UInt64(run.count))
            }
            previousEnd = run.upperBound
        }
        buffer.put(deltaKey)
        buffer.putMessage(room: 2) { buffer in
            var previous: UInt64 = 0
            forEachRun(side, bridging: Self.bridgedGap) { run in
                for index in run {
                    let count = count(index, side)
                    buffer.putVarint(Proto.zigZag(Int64(bitPattern: count &- previous)))
                    previous = count
                }
            }
        }
    }

    @inline(__always)
    func count(_ index: Int, _ side: Side) -> UInt64 {
        index == overflow ? side.overflow : side.buckets[index]
    }

    /// Calls `body` with the indices of each span; up to `gap` empty buckets do not end a span.
    @inline(__always)
    func forEachRun(_ side: Side, bridging gap: Int, _ body: (Range<Int>) -> Void) {
        var next = Int.min
        while let run = side.buckets.nextRun(from: next, bridging: gap) {
            body(run)
            next = run.upperBound
        }
        if side.overflow > 0 { body(overflow..<(overflow + 1)) }
    }
}
