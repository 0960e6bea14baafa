// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Writes families in OpenMetrics 2.0, as of 2.0.0-rc0: https://prometheus.io/docs/specs/om/open_metrics_spec_2_0/
///
/// Each series is one line: name, labels, value, start time, exemplars. The value of a histogram has its sum, its count and
/// all its buckets. A series without exemplars needs no allocation.
struct OpenMetrics2Encoder {
    let escaping: NameEscaping

    func encode(_ families: [FamilySnapshot], into buffer: inout ExpositionBuffer) {
        // The specification wants `target_info` first.
        for family in families where family.definition.name == "target_info" { encode(family, into: &buffer) }
        for family in families where family.definition.name != "target_info" { encode(family, into: &buffer) }
        buffer.putEnd()
    }

    private func encode(_ family: FamilySnapshot, into buffer: inout ExpositionBuffer) {
        let starts = family.starts
        Parts.begin(family, .openMetrics2, escaping, &buffer) { parts, buffer in
            starts.withPieces { pieces in
                let lines = Lines(parts: parts, starts: pieces, room: parts.room + starts.longest)
                encode(lines, into: &buffer)
            }
        }
    }

    /// A family that is being written.
    private struct Lines {
        let parts: Parts
        /// One for each series, or none.
        let starts: PackedPieces
        /// The most bytes of a line with a number as its value and without exemplars.
        let room: Int
    }

    private func encode(_ lines: Lines, into buffer: inout ExpositionBuffer) {
        switch lines.parts.family.samples {
        case .integers(let values): encodeValues(values, lines, into: &buffer) { $1.put($0) }
        case .numbers(let values): encodeValues(values, lines, into: &buffer) { $1.put($0) }
        case .histograms(let samples): encode(samples, nil, lines, into: &buffer)
        case .exponentials(let samples): encode(samples.classic, samples, lines, into: &buffer)
        }
    }

    @inline(__always)
    private func encodeValues<Value>(
        _ values: [Value],
        _ lines: Lines,
        into buffer: inout ExpositionBuffer,
        _ put: (Value, inout ExpositionBuffer) -> Void
    ) {
        var exemplars = ExemplarCursor(lines.parts.family.exemplars)
        values.withUnsafeBufferPointer { values in
            for series in 0..<values.count {
                buffer.reserve(lines.room)
                lines.parts.begin(.value, series, &buffer)
                put(values[series], &buffer)
                end(lines, series, &exemplars, &buffer)
            }
        }
    }

    private func encode(
        _ samples: HistogramSamples,
        _ exponentials: ExponentialSamples?,
        _ lines: Lines,
        into buffer: inout ExpositionBuffer
    ) {
        var exemplars = ExemplarCursor(lines.parts.family.exemplars)
        let bounds = lines.parts.template.bounds
        // Literals, the sum, and the count, which is repeated in each bucket.
        let room = lines.room + NumberFormat.maximumLength + 32 + bounds.total + 20 * (bounds.ends.count + 1)
        bounds.withPieces { bounds in
            samples.counts.withUnsafeBufferPointer { counts in
                for series in 0..<samples.sums.count {
                    let row = counts[(series &* samples.buckets)..<((series &+ 1) &* samples.buckets)]
                    buffer.reserve(room)
                    lines.parts.begin(.value, series, &buffer)
                    buffer.put("{count:")
                    buffer.put(row.reduce(0, &+))
                    buffer.put(",sum:")
                    buffer.put(samples.sums[series])
                    if let exponentials {
                        NativeBuckets(exponentials.data[series]).writeText(into: &buffer)
                        buffer.reserve(room)
                    }
                    writeBuckets(UnsafeBufferPointer(rebasing: row), bounds, &buffer)
                    buffer.put(UInt8(ascii: "}"))
                    if let exponentials { buffer.putStart(exponentials.created[series]) }
                    end(lines, series, &exemplars, &buffer)
                }
            }
        }
    }

    /// Writes the classic buckets, if there are any.
    @inline(__always)
    private func writeBuckets(
        _ counts: UnsafeBufferPointer<UInt64>,
        _ bounds: PackedPieces,
        _ buffer: inout ExpositionBuffer
    ) {
        var cumulative: UInt64 = 0
        for bucket in 0..<bounds.count {
            let bound = bounds[bucket]
            buffer.put(bound.start, bound.count)
            cumulative &+= counts[bucket]
            buffer.put(cumulative)
        }
        if bounds.count > 0 { buffer.put(UInt8(ascii: "]")) }
    }

    /// Writes the part of a line after its value.
    @inline(__always)
    private func end(
        _ lines: Lines,
        _ series: Int,
        _ exemplars: inout ExemplarCursor,
        _ buffer: inout ExpositionBuffer
    ) {
        if lines.starts.count > 0 {
            let start = lines.starts[series]
            buffer.put(start.start, start.count)
        }
        if exemplars.series == series { write(exemplars.takeAll(series), into: &buffer) }
        buffer.put(UInt8(ascii: "\n"))
    }

    /// Writes all exemplars that have a time, which the format requires.
    @inline(never)
    private func write(_ exemplars: ArraySlice<ExemplarEntry>, into buffer: inout ExpositionBuffer) {
        for entry in exemplars where entry.exemplar.timestamp.isFinite {
            buffer.putExemplar(entry.exemplar, escaping)
        }
    }
}

extension FamilySnapshot {
    /// ` st@1700000000.5` for each series of a counter or a histogram, rendered once per list of series. None for other
    /// kinds, and for exponential histograms, whose times change when they reset.
    fileprivate var starts: PackedBytes {
        if case .exponentials = samples { return PackedBytes([]) }
        guard definition.kind == .counter || definition.kind == .histogram, !series.created.isEmpty else {
            return PackedBytes([])
        }
        return series.rendering(.start) { position, bytes in
            let time = series.created[position]
            if time.isFinite { bytes += Array(" st@\(NumberFormat.text(time, isPlain: true))".utf8) }
        }
    }
}

extension ExpositionBuffer {
    /// Appends ` st@1700000000.5`, and reserves a further byte. A time that is not known is left out.
    fileprivate mutating func putStart(_ time: Double) {
        reserve(NumberFormat.maximumLength + 5)
        guard time.isFinite else { return }
        put(" st@")
        putPlain(time)
    }
}

extension NativeBuckets {
    /// Appends the fields from the schema to the buckets, each after a comma. Counts are absolute, not differences.
    fileprivate func writeText(into buffer: inout ExpositionBuffer) {
        buffer.reserve(NumberFormat.maximumLength + 72)
        buffer.put(",schema:")
        buffer.put(signed: data.schema)
        buffer.put(",zero_threshold:")
        buffer.put(data.zeroThreshold)
        buffer.put(",zero_count:")
        buffer.put(data.zeroCount)
        writeText(negative, ",negative_spans:[", "],negative_buckets:[", &buffer)
        writeText(positive, ",positive_spans:[", "],positive_buckets:[", &buffer)
    }

    private func writeText(
        _ side: Side,
        _ spans: StaticString,
        _ counts: StaticString,
        _ buffer: inout ExpositionBuffer
    ) {
        if side.isEmpty { return }
        // A span takes at most 16 bytes and stands for at least one bucket, a count takes at most 21.
        buffer.reserve((side.buckets.counts.count + 2) * 40 + 64)
        buffer.put(spans)
        var previousEnd = 0
        forEachRun(side, bridging: Self.bridgedTextGap) { run in
            buffer.put(signed: run.lowerBound - previousEnd)
            buffer.put(UInt8(ascii: ":"))
            buffer.put(UInt64(run.count))
            buffer.put(UInt8(ascii: ","))
            previousEnd = run.upperBound
        }
        buffer.removeLast(1)
        buffer.put(counts)
        forEachRun(side, bridging: Self.bridgedTextGap) { run in
            for index in run {
                buffer.put(count(index, side))
                buffer.put(UInt8(ascii: ","))
            }
        }
        buffer.removeLast(1)
        buffer.put(UInt8(ascii: "]"))
    }

    /// One empty bucket takes two bytes, a new span four. The specification discourages more of them.
    private static let bridgedTextGap = 1
}

extension ExpositionBuffer {
    /// Appends an integer with a sign if it is negative. The room must be reserved.
    fileprivate mutating func put(signed value: Int) {
        if value < 0 { put(UInt8(ascii: "-")) }
        put(UInt64(value.magnitude))
    }
}
