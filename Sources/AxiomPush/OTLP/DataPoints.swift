// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Writes series of a family as data points, each as field 1 of its metric.
struct DataPoints {
    let family: FamilySnapshot
    /// The positions of the series.
    let range: Range<Int>
    /// The start of series whose creation time is not known.
    let start: UInt64
    let time: UInt64

    /// Writes `NumberDataPoint` messages.
    func writeNumbers(hasStart: Bool, _ buffer: inout ExpositionBuffer) {
        for series in family[range] {
            buffer.putField(1) { buffer in
                writeLabels(series, 7, &buffer)
                if hasStart { writeStart(series, 2, &buffer) }
                buffer.putField(3, fixed64: time)
                if let integer = series.integer.flatMap(Int64.init(exactly:)) {
                    buffer.putField(6, fixed64: UInt64(bitPattern: integer))
                } else {
                    buffer.putField(4, double: series.value)
                }
                for exemplar in series.exemplars { write(exemplar, 5, &buffer) }
            }
        }
    }

    /// Writes `HistogramDataPoint` or `ExponentialHistogramDataPoint` messages.
    func writeHistograms(isExponential: Bool, _ buffer: inout ExpositionBuffer) {
        for series in family[range] {
            buffer.putField(1) { buffer in
                if isExponential, let data = series.exponential {
                    write(data, series, &buffer)
                } else if let histogram = series.histogram {
                    write(histogram, series, &buffer)
                }
            }
        }
    }

    private func write(_ histogram: HistogramSnapshot, _ series: SeriesSnapshot, _ buffer: inout ExpositionBuffer) {
        writeLabels(series, 9, &buffer)
        writeStart(series, 2, &buffer)
        buffer.putField(3, fixed64: time)
        buffer.putField(4, fixed64: histogram.count)
        if histogram.sum.isFinite { buffer.putField(5, double: histogram.sum) }
        buffer.putField(6, packedFixed64: histogram.counts)
        buffer.putField(7, packedFixed64: family.definition.buckets.upperBounds.map(\.bitPattern))
        for exemplar in series.exemplars { write(exemplar, 8, &buffer) }
    }

    /// An exponential histogram of OTLP has no place for infinities and NaN: such observations are left out, and so is a
    /// sum that they made infinite or NaN.
    private func write(
        _ data: ExponentialHistogramData,
        _ series: SeriesSnapshot,
        _ buffer: inout ExpositionBuffer
    ) {
        writeLabels(series, 1, &buffer)
        writeStart(series, 2, &buffer)
        buffer.putField(3, fixed64: time)
        buffer.putField(4, fixed64: data.zeroCount &+ data.positive.total &+ data.negative.total)
        if data.sum.isFinite { buffer.putField(5, double: data.sum) }
        buffer.putField(6, zigZag: Int64(data.schema))
        buffer.putField(7, fixed64: data.zeroCount)
        write(data.positive, 8, &buffer)
        write(data.negative, 9, &buffer)
        for exemplar in series.exemplars { write(exemplar, 11, &buffer) }
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

    private func writeStart(_ series: SeriesSnapshot, _ number: Int, _ buffer: inout ExpositionBuffer) {
        let created = series.created.flatMap(Self.nanoseconds)
        buffer.putField(number, fixed64: min(created ?? start, time))
    }

    /// Ids of traces and spans have fields of their own; other labels are attributes.
    private func write(_ exemplar: Exemplar, _ number: Int, _ buffer: inout ExpositionBuffer) {
        guard let time = Self.nanoseconds(exemplar.timestamp) else { return }
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
    static func nanoseconds(_ seconds: Double) -> UInt64? {
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
