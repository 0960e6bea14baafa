// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import AxiomMetrics

/// Writes the series of one request as `TimeSeries` messages: in 1.0, or with a table of symbols in 2.0.
///
/// The messages are those of https://github.com/prometheus/prometheus/blob/main/prompb/types.proto and, in 2.0,
/// https://github.com/prometheus/prometheus/blob/main/prompb/io/prometheus/write/v2/types.proto (2.0-rc.4).
struct TimeSeriesWriter {
    /// The texts of the request; nil in 1.0.
    private(set) var symbols: SymbolTable?

    init(_ version: PushTarget.RemoteWriteVersion) {
        symbols = version == .v2 ? SymbolTable() : nil
    }

    private var isV2: Bool { symbols != nil }

    /// Appends a series as a field of a request.
    mutating func write(_ series: RemoteSeries, into buffer: inout ExpositionBuffer) {
        buffer.putField(isV2 ? 5 : 1) { buffer in
            write(series.labels, &buffer)
            writeValue(of: series, &buffer)
            for exemplar in series.exemplars { write(exemplar, &buffer) }
            writeMetadata(of: series.origin.family, &buffer)
        }
    }

    /// Appends labels as field 1 of a series or of an exemplar.
    private mutating func write(_ labels: SeriesLabels, _ buffer: inout ExpositionBuffer) {
        guard let references = symbols?.references(to: labels) else { return buffer.putBytes(labels.fields) }
        buffer.putField(1, packedVarints: references)
    }

    /// The NaN that ends a series: https://prometheus.io/docs/specs/prw/remote_write_spec/#stale-markers
    private static let staleMark: UInt64 = 0x7ff0_0000_0000_0002

    private func writeValue(of series: RemoteSeries, _ buffer: inout ExpositionBuffer) {
        let start = isV2 ? series.origin.start : nil
        if case .histogram(let data) = series.value {
            return buffer.putField(isV2 ? 3 : 4) { buffer in
                buffer.putField(1, varint: data.count)
                buffer.putField(3, double: data.sum)
                NativeBuckets(data, .remoteWrite).write(into: &buffer)
                buffer.putField(15, int64: series.milliseconds)
                if let start { buffer.putField(17, int64: start) }
            }
        }
        buffer.putField(2) { buffer in
            if case .number(let value) = series.value {
                buffer.putField(1, double: value)
            } else {
                buffer.putField(1, fixed64: Self.staleMark)
            }
            buffer.putField(2, int64: series.milliseconds)
            if let start { buffer.putField(3, int64: start) }
        }
    }

    private mutating func write(_ exemplar: Exemplar, _ buffer: inout ExpositionBuffer) {
        buffer.putField(isV2 ? 4 : 3) { buffer in
            write(SeriesLabels(sorting: exemplar.labels.pairs), &buffer)
            buffer.putField(2, double: exemplar.value)
            buffer.putField(3, int64: exemplar.milliseconds)
        }
    }

    /// Appends type, help and unit, which 1.0 does not have.
    private mutating func writeMetadata(of family: MetricDefinition, _ buffer: inout ExpositionBuffer) {
        guard let help = symbols?.reference(to: family.help),
            let unit = symbols?.reference(to: family.unit ?? "")
        else { return }
        buffer.putField(5) { buffer in
            buffer.putField(1, varint: Self.type(of: family.kind))
            buffer.putField(3, varint: help)
            buffer.putField(4, varint: unit)
        }
    }

    /// The `MetricType`.
    private static func type(of kind: MetricKind) -> UInt64 {
        switch kind {
        case .counter: 1
        case .gauge: 2
        case .histogram: 3
        case .info: 6
        default: 0
        }
    }
}

/// The texts of a request of 2.0. Series refer to them by their position.
struct SymbolTable {
    /// Each once. The first is empty, as the specification requires it.
    private(set) var texts: [[UInt8]] = [[]]
    private var positions: [Symbol: UInt64] = [Symbol(bytes: []): 0]

    private struct Symbol: Hashable {
        let bytes: [UInt8]

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// The position of a text, which is added if it is new.
    mutating func reference(to text: String) -> UInt64 {
        reference(to: Array(text.utf8))
    }

    private mutating func reference(to text: [UInt8]) -> UInt64 {
        let symbol = Symbol(bytes: text)
        if let position = positions[symbol] { return position }
        let position = UInt64(texts.count)
        texts.append(text)
        positions[symbol] = position
        return position
    }

    /// The positions of the names and values of labels, in turn.
    mutating func references(to labels: SeriesLabels) -> [UInt64] {
        var references: [UInt64] = []
        for case (_, .bytes(let label)) in WireReader.fields(labels.fields[...]) ?? [] {
            for case (_, .bytes(let text)) in WireReader.fields(label) ?? [] {
                references.append(reference(to: Array(text)))
            }
        }
        return references
    }
}
