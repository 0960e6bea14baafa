// SPDX-License-Identifier: Apache-2.0

/// Writes families as lines, for the text format and OpenMetrics 1.0.
///
/// Only values are formatted. All other bytes were rendered before: those of the family in its template, those of the
/// series when the list of series was first written. A series without exemplars needs no allocation.
struct LineEncoder {
    let style: LineStyle
    let escaping: NameEscaping
    /// Whether OpenMetrics shows the creation times of series.
    let hasCreated: Bool

    func encode(_ families: [FamilySnapshot], into buffer: inout ExpositionBuffer) {
        for family in families {
            Parts.begin(family, style, escaping, &buffer) { parts, buffer in encode(parts, into: &buffer) }
        }
        if style == .openMetrics { buffer.putEnd() }
    }

    private func encode(_ parts: Parts, into buffer: inout ExpositionBuffer) {
        switch parts.family.samples {
        case .integers(let values):
            encodeValues(values, parts, into: &buffer) { $1.put($0) }
        case .numbers(let values):
            encodeValues(values, parts, into: &buffer) { $1.put($0) }
        case .histograms(let values): encode(values, parts, into: &buffer)
        // These formats have no exponential buckets.
        case .exponentials(let values): encode(values.classic, parts, into: &buffer)
        }
    }

    @inline(__always)
    private func encodeValues<Value>(
        _ values: [Value],
        _ parts: Parts,
        into buffer: inout ExpositionBuffer,
        _ put: (Value, inout ExpositionBuffer) -> Void
    ) {
        var exemplars = parts.exemplars(style)
        values.withUnsafeBufferPointer { values in
            for series in 0..<values.count {
                buffer.reserve(parts.room)
                parts.begin(.value, series, &buffer)
                put(values[series], &buffer)
                if let exemplar = exemplars.take(series) { buffer.putExemplar(exemplar, escaping) }
                buffer.put(UInt8(ascii: "\n"))
                if hasCreated, parts.family.definition.kind == .counter { writeCreated(parts, series, &buffer) }
            }
        }
    }

    private func encode(_ samples: HistogramSamples, _ parts: Parts, into buffer: inout ExpositionBuffer) {
        var exemplars = parts.exemplars(style)
        parts.template.bounds.withPieces { bounds in
            samples.counts.withUnsafeBufferPointer { counts in
                for series in 0..<samples.sums.count {
                    let counts = UnsafeBufferPointer(rebasing: counts[(series * samples.buckets)...])
                    let count = writeBuckets(counts, bounds, parts, series, &exemplars, &buffer)
                    writeSumAndCount(samples.sums[series], count: count, parts, series, &buffer)
                    if hasCreated { writeCreated(parts, series, &buffer) }
                }
            }
        }
    }

    /// Writes the lines of a series' buckets and returns the count of observations.
    @inline(__always)
    private func writeBuckets(
        _ counts: UnsafeBufferPointer<UInt64>,
        _ bounds: PackedPieces,
        _ parts: Parts,
        _ series: Int,
        _ exemplars: inout ExemplarCursor,
        _ buffer: inout ExpositionBuffer
    ) -> UInt64 {
        buffer.reserve(bounds.count &* parts.room)
        var start = buffer.count
        parts.beginBucket(series, &buffer)
        let opening = buffer.count &- start
        var cumulative: UInt64 = 0
        for bucket in 0..<bounds.count {
            if bucket > 0 {
                let previous = start
                start = buffer.count
                buffer.putAgain(previous, opening)
            }
            let bound = bounds[bucket]
            buffer.put(bound.start, bound.count)
            cumulative &+= counts[bucket]
            buffer.put(cumulative)
            // The last bucket takes all remaining exemplars: a histogram without other classic buckets may have several.
            if let exemplar = exemplars.take(series, upTo: bucket == bounds.count &- 1 ? .max : bucket) {
                buffer.putExemplar(exemplar, escaping)
                buffer.reserve((bounds.count &- bucket) &* parts.room)
            }
            buffer.put(UInt8(ascii: "\n"))
        }
        return cumulative
    }

    /// Writes sum and count. OpenMetrics requires a sum that never decreases, and a count only together with a sum.
    @inline(__always)
    private func writeSumAndCount(
        _ sum: Double,
        count: UInt64,
        _ parts: Parts,
        _ series: Int,
        _ buffer: inout ExpositionBuffer
    ) {
        if style == .openMetrics, parts.template.hasNegativeBounds || !(sum >= 0) { return }
        buffer.reserve(2 &* parts.room)
        parts.begin(.sum, series, &buffer)
        buffer.put(sum)
        buffer.put(UInt8(ascii: "\n"))
        parts.begin(.count, series, &buffer)
        buffer.put(count)
        buffer.put(UInt8(ascii: "\n"))
    }

    @inline(never)
    private func writeCreated(_ parts: Parts, _ series: Int, _ buffer: inout ExpositionBuffer) {
        guard let created = parts.family.created(series), created.isFinite else { return }
        buffer.reserve(parts.room)
        parts.begin(.created, series, &buffer)
        buffer.putPlain(created)
        buffer.put(UInt8(ascii: "\n"))
    }
}

extension ExpositionBuffer {
    /// Appends ` # {trace_id="…"} 0.5 1700000000.5`, and reserves a further byte.
    @inline(never)
    mutating func putExemplar(_ exemplar: Exemplar, _ escaping: NameEscaping) {
        var bytes = Array(" # {".utf8)
        exemplar.labels.render(escaping, into: &bytes)
        bytes += Array("} ".utf8)
        reserve(bytes.count + 2 * NumberFormat.maximumLength + 2)
        put(bytes)
        put(exemplar.value)
        guard exemplar.timestamp.isFinite else { return }
        put(UInt8(ascii: " "))
        putPlain(exemplar.timestamp)
    }

    /// Appends the end marker of OpenMetrics.
    mutating func putEnd() {
        reserve(6)
        put("# EOF\n")
    }
}

/// A family that is being written.
struct Parts {
    let family: FamilySnapshot
    let template: LineTemplate
    let heads: PackedPieces
    let tails: PackedPieces
    /// The most bytes of a line without an exemplar.
    let room: Int

    /// Writes the header of a family and calls `body` with the rest.
    @inline(__always)
    static func begin(
        _ family: FamilySnapshot,
        _ style: LineStyle,
        _ escaping: NameEscaping,
        _ buffer: inout ExpositionBuffer,
        _ body: (Parts, inout ExpositionBuffer) -> Void
    ) {
        let template = LineTemplate.of(family.definition, style, escaping)
        buffer.reserve(template.header.count)
        buffer.put(template.header)
        let tails = template.tails(of: family.series)
        let room = template.heads.longest + tails.longest + template.bounds.longest + NumberFormat.maximumLength + 2
        template.heads.withPieces { heads in
            tails.withPieces { tails in
                body(Parts(family: family, template: template, heads: heads, tails: tails, room: room), &buffer)
            }
        }
    }

    /// Text 0.0.4 has no exemplars.
    func exemplars(_ style: LineStyle) -> ExemplarCursor {
        ExemplarCursor(style == .openMetrics ? family.exemplars : [])
    }

    /// Writes the beginning of a line. The room must be reserved.
    @inline(__always)
    func begin(_ head: LineTemplate.Head, _ series: Int, _ buffer: inout ExpositionBuffer) {
        let head = heads[head.rawValue]
        buffer.put(head.start, head.count)
        let tail = tails[series]
        buffer.put(tail.start, tail.count)
    }

    /// Writes the beginning of a bucket's line up to its bound.
    @inline(__always)
    func beginBucket(_ series: Int, _ buffer: inout ExpositionBuffer) {
        begin(.bucket, series, &buffer)
        // A tail without labels is a space; others end in a brace and a space.
        if tails[series].count == 1 {
            buffer.removeLast(1)
            buffer.put(UInt8(ascii: "{"))
        } else {
            buffer.removeLast(2)
            buffer.put(UInt8(ascii: ","))
        }
    }
}

/// Iterates over a family's exemplars while its series are written in order.
struct ExemplarCursor {
    private let entries: [ExemplarEntry]
    private var next = 0
    /// The series of the next exemplar; `Int.max` if there is none, so that a series without exemplars costs one comparison.
    private(set) var series: Int

    init(_ entries: [ExemplarEntry]) {
        self.entries = entries
        series = entries.first?.series ?? .max
    }

    /// Removes the exemplars of a series' buckets up to `bucket` and returns the latest, because a line has room for one;
    /// nil if there are none.
    @inline(__always)
    mutating func take(_ series: Int, upTo bucket: Int = .max) -> Exemplar? {
        series == self.series ? takeLatest(bucket) : nil
    }

    /// All exemplars of a series.
    mutating func takeAll(_ series: Int) -> ArraySlice<ExemplarEntry> {
        let start = next
        while series == self.series { advance() }
        return entries[start..<next]
    }

    private mutating func takeLatest(_ bucket: Int) -> Exemplar? {
        let current = series
        var latest: Exemplar?
        while series == current, entries[next].bucket <= bucket {
            let exemplar = entries[next].exemplar
            if exemplar.timestamp >= latest?.timestamp ?? -.infinity { latest = exemplar }
            advance()
        }
        return latest
    }

    private mutating func advance() {
        next += 1
        series = next < entries.count ? entries[next].series : .max
    }
}
