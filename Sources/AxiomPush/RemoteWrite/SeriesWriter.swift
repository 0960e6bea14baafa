// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Writes the series of a snapshot as `TimeSeries` messages.
///
/// The messages are those of https://github.com/prometheus/prometheus/blob/main/prompb/types.proto
struct SeriesWriter {
    /// A `TimeSeries` and what identifies it.
    struct Series {
        let labels: SeriesLabels
        /// The fields of the message.
        let message: [UInt8]
    }

    let external: [(name: String, value: String)]
    let form: PushTarget.HistogramForm
    /// The time of all samples.
    let milliseconds: Int64

    /// Calls `body` with each series of a family.
    func write(_ family: FamilySnapshot, _ body: (Series) -> Void) {
        let name = family.definition.name
        for series in family {
            let pairs = series.labels.pairs
            guard let histogram = series.histogram else {
                body(sample(series.value, SeriesLabels(name, pairs, external: external), series.exemplars))
                continue
            }
            if let data = series.exponential, form != .classic {
                body(native(data, SeriesLabels(name, pairs, external: external), series.exemplars))
            }
            if series.exponential == nil || form != .native {
                write(histogram, family.definition.buckets.upperBounds, name, pairs, series.exemplars, body)
            }
        }
    }

    /// The mark of the end of a series.
    func end(of labels: SeriesLabels) -> Series {
        sample(labels, []) { $0.putField(1, fixed64: Self.staleMark) }
    }

    /// The NaN that ends a series: https://prometheus.io/docs/specs/prw/remote_write_spec/#stale-markers
    private static let staleMark: UInt64 = 0x7ff0_0000_0000_0002

    private func write(
        _ histogram: HistogramSnapshot,
        _ bounds: [Double],
        _ name: String,
        _ pairs: [(name: String, value: String)],
        _ exemplars: [Exemplar],
        _ body: (Series) -> Void
    ) {
        var cumulative: UInt64 = 0
        var lower = -Double.infinity
        for (index, count) in histogram.counts.enumerated() {
            let upper = index < bounds.count ? bounds[index] : .infinity
            cumulative &+= count
            let bucket = SeriesLabels(
                name + "_bucket",
                pairs + [(name: "le", value: upper.bucketBoundText)],
                external: external
            )
            let inside = exemplars.filter { $0.value <= upper && ($0.value > lower || index == 0) }
            body(sample(Double(cumulative), bucket, inside))
            lower = upper
        }
        body(sample(histogram.sum, SeriesLabels(name + "_sum", pairs, external: external), []))
        body(sample(Double(cumulative), SeriesLabels(name + "_count", pairs, external: external), []))
    }

    private func sample(_ value: Double, _ labels: SeriesLabels, _ exemplars: [Exemplar]) -> Series {
        sample(labels, exemplars) { $0.putField(1, double: value) }
    }

    private func sample(
        _ labels: SeriesLabels,
        _ exemplars: [Exemplar],
        _ value: (inout ExpositionBuffer) -> Void
    ) -> Series {
        var buffer = ExpositionBuffer(capacity: 0)
        buffer.putBytes(labels.fields)
        buffer.putField(2) { buffer in
            value(&buffer)
            buffer.putField(2, int64: milliseconds)
        }
        for exemplar in exemplars { write(exemplar, &buffer) }
        return Series(labels: labels, message: buffer.bytes)
    }

    private func native(_ data: ExponentialHistogramData, _ labels: SeriesLabels, _ exemplars: [Exemplar]) -> Series {
        var buffer = ExpositionBuffer(capacity: 0)
        buffer.putBytes(labels.fields)
        for exemplar in exemplars { write(exemplar, &buffer) }
        buffer.putField(4) { buffer in
            buffer.putField(1, varint: data.count)
            buffer.putField(3, double: data.sum)
            NativeBuckets(data, .remoteWrite).write(into: &buffer)
            buffer.putField(15, int64: milliseconds)
        }
        return Series(labels: labels, message: buffer.bytes)
    }

    private func write(_ exemplar: Exemplar, _ buffer: inout ExpositionBuffer) {
        guard abs(exemplar.timestamp) < 0x1p53 / 1_000 else { return }
        buffer.putField(3) { buffer in
            for (name, value) in exemplar.labels.pairs { buffer.putLabel(name, value) }
            buffer.putField(2, double: exemplar.value)
            buffer.putField(3, int64: Int64((exemplar.timestamp * 1_000).rounded()))
        }
    }
}

/// The labels of a series as fields of a `TimeSeries`, sorted by name as remote write requires it. They identify the series.
struct SeriesLabels: Hashable, Sendable {
    let fields: [UInt8]

    /// - Parameters:
    ///   - name: The name of the series.
    ///   - pairs: Its labels without the name.
    ///   - external: Labels to add if the series has none of that name.
    init(_ name: String, _ pairs: [(name: String, value: String)], external: [(name: String, value: String)]) {
        var all = pairs.map { (name: NameEscaping.underscores.escape($0.name), value: $0.value) }
        for label in external where !all.contains(where: { ByteName($0.name) == ByteName(label.name) }) {
            all.append(label)
        }
        all.append((name: "__name__", value: NameEscaping.underscores.escape(name)))
        all.sort { ByteName($0.name) < ByteName($1.name) }
        var buffer = ExpositionBuffer(capacity: 0)
        for label in all where !label.value.isEmpty { buffer.putLabel(label.name, label.value) }
        fields = buffer.bytes
    }
}

extension ExpositionBuffer {
    /// Appends a `Label` as field 1, its number in a `TimeSeries` and in an `Exemplar`.
    mutating func putLabel(_ name: String, _ value: String) {
        putField(1) { buffer in
            buffer.putField(1, text: name)
            buffer.putField(2, text: value)
        }
    }
}
