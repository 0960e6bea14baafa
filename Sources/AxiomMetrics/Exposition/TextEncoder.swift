// SPDX-License-Identifier: Apache-2.0

/// Writes pages in the Prometheus text format 0.0.4, which every Prometheus reads.
///
/// Families stand in the order of their names and series in the order of their labels, each family in one group with
/// its help and type before it; the page ends with a line feed. Encoding copies bytes that were rendered when the
/// series were made, and writes numbers; it allocates only while the buffer grows.
public struct TextEncoder: Sendable {
    /// What the `Content-Type` header of a page must say.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Makes an encoder. It has no state.
    public init() {}

    /// Appends a page to `buffer`.
    public func encode(_ snapshot: Snapshot, into buffer: inout ExpositionBuffer) {
        for family in snapshot.families {
            let text = family.definition.text
            buffer.reserve(text.header.count)
            buffer.put(text.header)
            switch family.samples {
            case .integers(let values): encode(values, family.labels, text.series, into: &buffer)
            case .numbers(let values): encode(values, family.labels, text.series, into: &buffer)
            case .histograms(let values):
                if let parts = text.histogram { encode(values, family.labels, parts, into: &buffer) }
            case .exponentials(let values):
                // The format knows no exponential buckets.
                if let parts = text.histogram { encode(values.classic, family.labels, parts, into: &buffer) }
            }
        }
    }

    /// The page as text, for tests and small tools.
    public func encode(_ snapshot: Snapshot) -> String {
        var buffer = ExpositionBuffer()
        encode(snapshot, into: &buffer)
        return buffer.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }

    private func encode(
        _ values: [UInt64],
        _ labels: [LabelSet],
        _ opening: SeriesOpening,
        into buffer: inout ExpositionBuffer
    ) {
        for index in values.indices {
            begin(opening, labels[index], &buffer)
            buffer.put(values[index])
            buffer.put(UInt8(ascii: "\n"))
        }
    }

    private func encode(
        _ values: [Double],
        _ labels: [LabelSet],
        _ opening: SeriesOpening,
        into buffer: inout ExpositionBuffer
    ) {
        for index in values.indices {
            begin(opening, labels[index], &buffer)
            buffer.put(values[index])
            buffer.put(UInt8(ascii: "\n"))
        }
    }

    private func encode(
        _ histograms: HistogramSamples,
        _ labels: [LabelSet],
        _ parts: HistogramTemplate,
        into buffer: inout ExpositionBuffer
    ) {
        var position = 0
        for (series, labels) in labels.enumerated() {
            let lines = histograms.buckets + 2
            buffer.reserve(parts.fixedBytes + lines * (labels.rendered.count + NumberFormat.maximumLength))
            var cumulative: UInt64 = 0
            for bound in parts.bounds {
                cumulative &+= histograms.counts[position]
                position += 1
                buffer.put(parts.bucket)
                buffer.put(labels.rendered)
                if !labels.isEmpty { buffer.put(UInt8(ascii: ",")) }
                buffer.put(bound)
                buffer.put(cumulative)
                buffer.put(UInt8(ascii: "\n"))
            }
            begin(parts.sum, labels, &buffer)
            buffer.put(histograms.sums[series])
            buffer.put(UInt8(ascii: "\n"))
            begin(parts.count, labels, &buffer)
            buffer.put(cumulative)
            buffer.put(UInt8(ascii: "\n"))
        }
    }

    /// Writes name and labels, and leaves room for a number and a line feed.
    @inline(__always)
    private func begin(_ opening: SeriesOpening, _ labels: LabelSet, _ buffer: inout ExpositionBuffer) {
        buffer.reserve(opening.labelled.count + labels.rendered.count + NumberFormat.maximumLength + 3)
        if labels.isEmpty {
            buffer.put(opening.plain)
        } else {
            buffer.put(opening.labelled)
            buffer.put(labels.rendered)
            buffer.put(UInt8(ascii: "}"))
            buffer.put(UInt8(ascii: " "))
        }
    }
}
