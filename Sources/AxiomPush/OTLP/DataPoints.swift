// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Writes series of a family as data points, each as field 1 of its metric.
package struct DataPoints {
    /// Since when a point counts.
    private struct Origin {
        let start: UInt64
        /// The series at the start; nil if it was 0.
        let series: SeriesSnapshot?
    }

    let family: FamilySnapshot
    /// The start of series whose creation time is not known.
    let start: UInt64
    let time: UInt64
    /// The last points, from which deltas count; nil for cumulative values.
    let base: DeltaBase?

    /// Writes `NumberDataPoint` messages of the series in a range.
    func writeNumbers(_ range: Range<Int>, hasStart: Bool, _ buffer: inout ExpositionBuffer) {
        for series in family[range] {
            let origin = origin(of: series)
            let earlier = origin.series
            buffer.putField(1) { buffer in
                writeLabels(series, 7, &buffer)
                if hasStart { buffer.putField(2, fixed64: origin.start) }
                buffer.putField(3, fixed64: time)
                if let integer = series.integer.flatMap({ Int64(exactly: $0 &- (earlier?.integer ?? 0)) }) {
                    buffer.putField(6, fixed64: UInt64(bitPattern: integer))
                } else {
                    buffer.putField(4, double: series.value - (earlier?.value ?? 0))
                }
                write(series.exemplars, 5, since: origin, &buffer)
            }
        }
    }

    /// Writes `HistogramDataPoint` or `ExponentialHistogramDataPoint` messages of the series in a range.
    func writeHistograms(_ range: Range<Int>, isExponential: Bool, _ buffer: inout ExpositionBuffer) {
        for series in family[range] {
            let origin = origin(of: series)
            buffer.putField(1) { buffer in
                if isExponential, let data = series.exponential {
                    write(data, series, origin, &buffer)
                } else if let histogram = series.histogram {
                    write(histogram, series, origin, &buffer)
                }
            }
        }
    }

    private func write(
        _ histogram: HistogramSnapshot,
        _ series: SeriesSnapshot,
        _ origin: Origin,
        _ buffer: inout ExpositionBuffer
    ) {
        let earlier = origin.series?.histogram
        let counts = earlier.map { zip(histogram.counts, $0.counts).map(&-) } ?? histogram.counts
        let sum = histogram.sum - (earlier?.sum ?? 0)
        writeLabels(series, 9, &buffer)
        buffer.putField(2, fixed64: origin.start)
        buffer.putField(3, fixed64: time)
        buffer.putField(4, fixed64: counts.reduce(0, &+))
        if sum.isFinite { buffer.putField(5, double: sum) }
        buffer.putField(6, packedFixed64: counts)
        buffer.putField(7, packedFixed64: family.definition.buckets.upperBounds.map(\.bitPattern))
        write(series.exemplars, 8, since: origin, &buffer)
    }

    /// An exponential histogram of OTLP has no place for infinities and NaN: such observations are left out, and so is a
    /// sum that they made infinite or NaN.
    private func write(
        _ total: ExponentialHistogramData,
        _ series: SeriesSnapshot,
        _ origin: Origin,
        _ buffer: inout ExpositionBuffer
    ) {
        let data = origin.series?.exponential.map(total.since) ?? total
        writeLabels(series, 1, &buffer)
        buffer.putField(2, fixed64: origin.start)
        buffer.putField(3, fixed64: time)
        buffer.putField(4, fixed64: data.zeroCount &+ data.positive.total &+ data.negative.total)
        if data.sum.isFinite { buffer.putField(5, double: data.sum) }
        buffer.putField(6, zigZag: Int64(data.schema))
        buffer.putField(7, fixed64: data.zeroCount)
        write(data.positive, 8, &buffer)
        write(data.negative, 9, &buffer)
        write(series.exemplars, 11, since: origin, &buffer)
        buffer.putField(14, double: data.zeroThreshold)
    }

    private func write(_ buckets: ExponentialBuckets, _ number: Int, _ buffer: inout ExpositionBuffer) {
        buffer.putField(number) { buffer in
            // Bucket i of OTLP ends where bucket i + 1 of Prometheus ends.
            buffer.putField(1, zigZag: Int64(buckets.isEmpty ? 0 : buckets.offset - 1))
            buffer.putField(2, packedVarints: buckets.counts)
        }
    }

    private func writeLabels(_ series: SeriesSnapshot, _ number: Int, _ buffer: inout ExpositionBuffer) {
        for (name, value) in series.labels.pairs { buffer.putAttribute(number, name, value) }
    }

    /// The start of a delta is the end of the last point, so that the points of a series have neither gaps nor overlap.
    private func origin(of series: SeriesSnapshot) -> Origin {
        let created = series.created.flatMap(Self.nanoseconds)
        guard let last = base?.point(of: series, in: family) else {
            return Origin(start: min(created ?? start, time), series: nil)
        }
        let continues = series.continues(last.series)
        let start = continues ? last.time : max(last.time, created ?? 0)
        return Origin(start: min(start, time), series: continues ? last.series : nil)
    }

    /// Writes exemplars. A delta has those of its own time only.
    private func write(_ exemplars: [Exemplar], _ number: Int, since origin: Origin, _ buffer: inout ExpositionBuffer) {
        for exemplar in exemplars {
            guard let time = Self.nanoseconds(exemplar.timestamp), base == nil || time >= origin.start else { continue }
            write(exemplar, time, number, &buffer)
        }
    }

    /// Ids of traces and spans have fields of their own; other labels are attributes.
    private func write(_ exemplar: Exemplar, _ time: UInt64, _ number: Int, _ buffer: inout ExpositionBuffer) {
        buffer.putField(number) { buffer in
            buffer.putField(2, fixed64: time)
            buffer.putField(3, double: exemplar.value)
            for (name, value) in exemplar.labels.pairs {
                switch (name, HexBytes.bytes(value)) {
                case ("span_id", let id?) where id.count == 8: buffer.putField(4, bytes: id)
                case ("trace_id", let id?) where id.count == 16: buffer.putField(5, bytes: id)
                default: buffer.putAttribute(7, name, value)
                }
            }
        }
    }

    /// A time in seconds since 1970 in nanoseconds; nil if it is negative, not finite or after the year 2500.
    package static func nanoseconds(_ seconds: Double) -> UInt64? {
        (0..<17e9).contains(seconds) ? UInt64(seconds * 1e9) : nil
    }
}

/// Bytes as hexadecimal digits.
package enum HexBytes {
    /// The bytes; nil if the text has other characters or an odd number of them.
    package static func bytes(_ text: String) -> [UInt8]? {
        let digits = text.compactMap(\.hexDigitValue)
        guard digits.count == text.count, digits.count.isMultiple(of: 2) else { return nil }
        return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
    }
}

extension UInt64 {
    /// The eight bytes of an id, the highest first.
    package var bigEndianBytes: [UInt8] { withUnsafeBytes(of: bigEndian) { [UInt8]($0) } }
}
