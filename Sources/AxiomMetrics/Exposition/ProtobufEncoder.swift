// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Writes pages in Prometheus' protocol buffers: `MetricFamily` messages, each after its length. They have native
/// histograms, exemplars, units and creation times.
///
/// Info metrics are gauges in this format. A histogram with classic and exponential buckets has both. The
/// count implies the `+Inf` bucket, which is written only for an exemplar.
package struct ProtobufEncoder: Sendable {
    /// The `Content-Type` header of a page.
    package static let contentType =
        "application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited"

    private let escaping: NameEscaping

    /// - Parameter escaping: How names that are not classic ones are shown.
    package init(escaping: NameEscaping = .underscores) { self.escaping = escaping }

    /// Appends a page to `buffer`.
    package func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer) {
        for family in snapshot.families {
            let template = MessageTemplate.of(family.definition, escaping)
            let pieces = template.pieces(of: family.series)
            // Most families take 128 to 2,097,151 bytes, or are so short that moving them is cheap.
            buffer.putMessage(room: pieces.total > 8_000 ? 3 : 2) { buffer in
                buffer.reserve(template.header.count)
                buffer.put(template.header)
                pieces.withPieces { pieces in
                    encode(family, FamilyMessage(family: family, template: template, pieces: pieces), into: &buffer)
                }
            }
        }
    }

    private func encode(_ family: FamilySnapshot, _ message: FamilyMessage, into buffer: inout ExpositionBuffer) {
        switch family.samples {
        case .integers(let values): encodeValues(values, message, into: &buffer) { Double($0) }
        case .numbers(let values): encodeValues(values, message, into: &buffer) { $0 }
        case .histograms(let samples): encode(samples, nil, message, into: &buffer)
        case .exponentials(let samples): encode(samples.classic, samples.data, message, into: &buffer)
        }
    }

    @inline(__always)
    private func encodeValues<Value>(
        _ values: [Value],
        _ message: FamilyMessage,
        into buffer: inout ExpositionBuffer,
        _ number: (Value) -> Double
    ) {
        var exemplars = ExemplarCursor(message.family.exemplars)
        values.withUnsafeBufferPointer { values in
            for series in 0..<values.count {
                if let exemplar = exemplars.take(series) {
                    encode(number(values[series]), exemplar, series, message, into: &buffer)
                    continue
                }
                let piece = message.pieces[series]
                buffer.reserve(piece.count &+ 8)
                buffer.put(piece.start, piece.count)
                buffer.putLittleEndian(number(values[series]))
            }
        }
    }

    /// Writes a counter with an exemplar.
    @inline(never)
    private func encode(
        _ value: Double,
        _ exemplar: Exemplar,
        _ series: Int,
        _ message: FamilyMessage,
        into buffer: inout ExpositionBuffer
    ) {
        let labels = message.template.labels(of: message.family.labels[series])
        buffer.reserve(labels.count + 64)
        buffer.put(Proto.Family.metric)
        buffer.putMessage(room: 2) { buffer in
            buffer.reserve(labels.count + 64)
            buffer.put(labels)
            buffer.put(Proto.Metric.counter)
            buffer.putMessage(room: 1) { buffer in
                buffer.put(Proto.Counter.value)
                buffer.putLittleEndian(value)
                write(exemplar, [Proto.Counter.exemplar], &buffer)
                writeCreated(message, series, Proto.Counter.created, &buffer)
            }
        }
    }

    private func encode(
        _ samples: HistogramSamples,
        _ exponentials: [ExponentialHistogramData]?,
        _ message: FamilyMessage,
        into buffer: inout ExpositionBuffer
    ) {
        var exemplars = ExemplarCursor(message.family.exemplars)
        let bounds = message.family.definition.buckets.upperBounds
        samples.counts.withUnsafeBufferPointer { counts in
            for series in 0..<samples.sums.count {
                let counts = UnsafeBufferPointer(
                    rebasing: counts[(series * samples.buckets)...].prefix(samples.buckets)
                )
                let labels = message.pieces[series]
                buffer.reserve(labels.count + 64)
                buffer.put(Proto.Family.metric)
                buffer.putMessage(room: 2) { buffer in
                    buffer.reserve(labels.count + 64)
                    buffer.put(labels.start, labels.count)
                    buffer.put(Proto.Metric.histogram)
                    buffer.putMessage(room: 2) { buffer in
                        writeTotals(counts, samples.sums[series], &buffer)
                        writeBuckets(counts, bounds, series, &exemplars, &buffer)
                        if let data = exponentials?[series] { NativeBuckets(data).write(into: &buffer) }
                        for entry in exemplars.takeAll(series) {
                            write(entry.exemplar, Proto.Histogram.exemplar, &buffer)
                        }
                        writeCreated(message, series, Proto.Histogram.created, &buffer)
                    }
                }
            }
        }
    }

    private func writeTotals(_ counts: UnsafeBufferPointer<UInt64>, _ sum: Double, _ buffer: inout ExpositionBuffer) {
        buffer.reserve(32)
        buffer.put(Proto.Histogram.count)
        buffer.putVarint(counts.reduce(0, &+))
        buffer.put(Proto.Histogram.sum)
        buffer.putLittleEndian(sum)
    }

    /// Writes the classic buckets, `+Inf` only with an exemplar. A histogram without bounds has no classic buckets; its
    /// exemplars are written with the native ones.
    @inline(__always)
    private func writeBuckets(
        _ counts: UnsafeBufferPointer<UInt64>,
        _ bounds: [Double],
        _ series: Int,
        _ exemplars: inout ExemplarCursor,
        _ buffer: inout ExpositionBuffer
    ) {
        if bounds.isEmpty { return }
        buffer.reserve(counts.count &* Self.bucketRoom)
        var cumulative: UInt64 = 0
        for bucket in 0..<counts.count {
            let bound = bucket < bounds.count ? bounds[bucket] : .infinity
            cumulative &+= counts[bucket]
            let exemplar = exemplars.take(series, upTo: bucket)
            if exemplar == nil, bucket == bounds.count { return }
            buffer.put(Proto.Histogram.bucket)
            buffer.putMessage(room: 1) { buffer in
                buffer.put(Proto.Bucket.cumulativeCount)
                buffer.putVarint(cumulative)
                buffer.put(Proto.Bucket.upperBound)
                buffer.putLittleEndian(bound)
                if let exemplar { write(exemplar, [Proto.Bucket.exemplar], &buffer) }
            }
            if exemplar != nil { buffer.reserve((counts.count &- bucket) &* Self.bucketRoom) }
        }
    }

    /// The most bytes of a bucket without an exemplar: two keys with their lengths, a varint and a number.
    private static let bucketRoom = 24

    @inline(never)
    private func write(_ exemplar: Exemplar, _ key: [UInt8], _ buffer: inout ExpositionBuffer) {
        var content = exemplar.labels.messageFields(escaping)
        content.append(Proto.Exemplar.value)
        withUnsafeBytes(of: exemplar.value.bitPattern.littleEndian) { content += $0 }
        content.append(field: Proto.Exemplar.timestamp, timestamp: exemplar.timestamp)
        var field = key
        field.append(varint: UInt64(content.count))
        field += content
        buffer.reserve(field.count)
        buffer.put(field)
    }

    private func writeCreated(
        _ message: FamilyMessage,
        _ series: Int,
        _ key: UInt8,
        _ buffer: inout ExpositionBuffer
    ) {
        guard let created = message.family.created(series), let (seconds, nanos) = Proto.split(created) else { return }
        buffer.reserve(32)
        buffer.put(key)
        buffer.putMessage(room: 1) { buffer in
            buffer.put(Proto.Timestamp.seconds)
            buffer.putVarint(seconds)
            buffer.put(Proto.Timestamp.nanos)
            buffer.putVarint(nanos)
        }
    }
}

/// A family that is being written.
private struct FamilyMessage {
    let family: FamilySnapshot
    let template: MessageTemplate
    let pieces: PackedPieces
}
