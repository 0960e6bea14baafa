// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Writes exponential buckets as a native histogram: spans of consecutive buckets, and the difference between each bucket
/// and the previous one.
///
/// Infinities count in the bucket after the one of the largest finite number, as in Prometheus' Go client.
struct NativeBuckets {
    /// Up to this many empty buckets are written, because a new span would take more bytes.
    private static let bridgedGap = 2

    private let data: ExponentialHistogramData
    /// The bucket of infinities.
    private let overflow: Int

    init(_ data: ExponentialHistogramData) {
        self.data = data
        overflow = ExponentialScale.shared.index(of: .greatestFiniteMagnitude, schema: data.schema) + 1
    }

    func write(into buffer: inout ExpositionBuffer) {
        buffer.reserve(64)
        buffer.put(Proto.Histogram.schema)
        buffer.putVarint(Proto.zigZag(Int64(data.schema)))
        buffer.put(Proto.Histogram.zeroThreshold)
        buffer.putLittleEndian(data.zeroThreshold)
        buffer.put(Proto.Histogram.zeroCount)
        buffer.putVarint(data.zeroCount)
        write(
            Side(buckets: data.negative, overflow: data.negativeInfinities),
            Proto.Histogram.negativeSpan,
            Proto.Histogram.negativeDelta,
            &buffer
        )
        let positive = Side(buckets: data.positive, overflow: data.positiveInfinities)
        write(positive, Proto.Histogram.positiveSpan, Proto.Histogram.positiveDelta, &buffer)
        if data.zeroThreshold == 0, data.zeroCount == 0, data.count == 0 {
            // An empty span marks the histogram as a native one.
            buffer.put(Proto.Histogram.positiveSpan)
            buffer.put(0 as UInt8)
        }
    }

    /// The buckets of one sign.
    private struct Side {
        let buckets: ExponentialBuckets
        /// The observations of infinity.
        let overflow: UInt64
    }

    private func write(_ side: Side, _ spanKey: UInt8, _ deltaKey: UInt8, _ buffer: inout ExpositionBuffer) {
        guard !side.buckets.isEmpty || side.overflow > 0 else { return }
        // A span takes at most 18 bytes and stands for at least one bucket, a difference takes at most 10.
        buffer.reserve((side.buckets.counts.count + 2) * 28 + 16)
        var previousEnd = 0
        forEachRun(side) { run in
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
            forEachRun(side) { run in
                for index in run {
                    let count = index == overflow ? side.overflow : side.buckets[index]
                    buffer.putVarint(Proto.zigZag(Int64(bitPattern: count &- previous)))
                    previous = count
                }
            }
        }
    }

    @inline(__always)
    private func forEachRun(_ side: Side, _ body: (Range<Int>) -> Void) {
        var next = Int.min
        while let run = side.buckets.nextRun(from: next, bridging: Self.bridgedGap) {
            body(run)
            next = run.upperBound
        }
        if side.overflow > 0 { body(overflow..<(overflow + 1)) }
    }
}
