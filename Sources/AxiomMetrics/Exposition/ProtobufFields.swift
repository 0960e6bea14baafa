// SPDX-License-Identifier: Apache-2.0

/// The keys of the fields of `io.prometheus.client`: field number times 8 plus wire type (0 varint, 1 eight bytes, 2
/// delimited).
///
/// https://github.com/prometheus/client_model/blob/master/io/prometheus/client/metrics.proto
enum Proto {
    enum Family {
        static let name: UInt8 = 0x0a
        static let help: UInt8 = 0x12
        static let type: UInt8 = 0x18
        static let metric: UInt8 = 0x22
        static let unit: UInt8 = 0x2a
    }

    enum Metric {
        static let label: UInt8 = 0x0a
        static let gauge: UInt8 = 0x12
        static let counter: UInt8 = 0x1a
        static let histogram: UInt8 = 0x3a
    }

    enum LabelPair {
        static let name: UInt8 = 0x0a
        static let value: UInt8 = 0x12
    }

    /// A gauge has the same `value`.
    enum Counter {
        static let value: UInt8 = 0x09
        static let exemplar: UInt8 = 0x12
        static let created: UInt8 = 0x1a
    }

    enum Histogram {
        static let count: UInt8 = 0x08
        static let sum: UInt8 = 0x11
        static let bucket: UInt8 = 0x1a
        static let schema: UInt8 = 0x28
        static let zeroThreshold: UInt8 = 0x31
        static let zeroCount: UInt8 = 0x38
        static let negativeSpan: UInt8 = 0x4a
        static let negativeDelta: UInt8 = 0x52
        static let positiveSpan: UInt8 = 0x62
        static let positiveDelta: UInt8 = 0x6a
        static let created: UInt8 = 0x7a
        /// Field 16, whose key takes two bytes.
        static let exemplar: [UInt8] = [0x82, 0x01]
    }

    enum Bucket {
        static let cumulativeCount: UInt8 = 0x08
        static let upperBound: UInt8 = 0x11
        static let exemplar: UInt8 = 0x1a
    }

    enum Span {
        static let offset: UInt8 = 0x08
        static let length: UInt8 = 0x10
    }

    enum Exemplar {
        static let label: UInt8 = 0x0a
        static let value: UInt8 = 0x11
        static let timestamp: UInt8 = 0x1a
    }

    enum Timestamp {
        static let seconds: UInt8 = 0x08
        static let nanos: UInt8 = 0x10
    }

    /// Seconds and nanoseconds of a `Timestamp`; nil if the time is not finite or beyond 2^53 seconds.
    @inline(__always)
    static func split(_ time: Double) -> (seconds: UInt64, nanos: UInt64)? {
        guard abs(time) < 0x1p53 else { return nil }
        let whole = time.rounded(.down)
        // A fraction that would round up to a second is cut off.
        let nanos = Swift.min(((time - whole) * 1e9).rounded(), 999_999_999)
        return (UInt64(bitPattern: Int64(whole)), UInt64(nanos))
    }

    /// Maps signed integers to unsigned ones, with small magnitudes to small numbers: 0, -1, 1, -2 become 0, 1, 2, 3.
    @inline(__always)
    static func zigZag(_ value: Int64) -> UInt64 {
        UInt64(bitPattern: (value &<< 1) ^ (value >> 63))
    }
}

extension [UInt8] {
    mutating func append(varint value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        append(UInt8(truncatingIfNeeded: rest))
    }

    /// Appends a delimited field.
    mutating func append(field key: UInt8, _ content: [UInt8]) {
        append(key)
        append(varint: UInt64(content.count))
        self += content
    }

    mutating func append(field key: UInt8, _ text: String) {
        append(field: key, Array(text.utf8))
    }

    /// Appends a `google.protobuf.Timestamp`, or nothing if the time is not finite or beyond 2^53 seconds.
    mutating func append(field key: UInt8, timestamp: Double) {
        guard let (seconds, nanos) = Proto.split(timestamp) else { return }
        var content = [Proto.Timestamp.seconds]
        content.append(varint: seconds)
        content.append(Proto.Timestamp.nanos)
        content.append(varint: nanos)
        append(field: key, content)
    }
}

/// The bytes of a family that are the same on every page: name, help, type and unit.
final class MessageTemplate: FamilyTemplate {
    let header: [UInt8]
    private let kind: MetricKind
    private let escaping: NameEscaping

    /// The template of a family, rendered when a page is first written.
    static func of(_ definition: MetricDefinition, _ escaping: NameEscaping) -> MessageTemplate {
        definition.templates.template(TemplateCache.Key(format: .protobuf, escaping: escaping)) {
            MessageTemplate(definition, escaping)
        }
    }

    private init(_ definition: MetricDefinition, _ escaping: NameEscaping) {
        var header: [UInt8] = []
        header.append(field: Proto.Family.name, escaping.escape(definition.name))
        header.append(field: Proto.Family.help, definition.help)
        header += [Proto.Family.type, Self.type(of: definition.kind)]
        if let unit = definition.unit { header.append(field: Proto.Family.unit, unit) }
        self.header = header
        kind = definition.kind
        self.escaping = definition.hasClassicLabels ? .allowUTF8 : escaping
    }

    /// The bytes of each series, rendered once: for counters and gauges everything before the value, for histograms the
    /// labels.
    func pieces(of series: SeriesList) -> PackedBytes {
        series.rendering(.message(escaping)) { position, bytes in
            let labels = labels(of: series.labels[position])
            if kind == .histogram {
                bytes += labels
            } else {
                let created = series.created.isEmpty ? nil : series.created[position]
                render(labels, created: created, into: &bytes)
            }
        }
    }

    /// The labels of a series as fields of a message.
    func labels(of set: LabelSet) -> [UInt8] {
        set.messageFields(escaping)
    }

    private func render(_ labels: [UInt8], created: Double?, into bytes: inout [UInt8]) {
        var value: [UInt8] = []
        if kind == .counter, let created { value.append(field: Proto.Counter.created, timestamp: created) }
        value.append(Proto.Counter.value)
        let holder = kind == .counter ? Proto.Metric.counter : Proto.Metric.gauge
        var metric = labels + [holder]
        metric.append(varint: UInt64(value.count + 8))
        metric += value
        bytes.append(Proto.Family.metric)
        bytes.append(varint: UInt64(metric.count + 8))
        bytes += metric
    }

    /// The `MetricType`. Info metrics, which the format does not have, are gauges.
    private static func type(of kind: MetricKind) -> UInt8 {
        switch kind.shape {
        case .counter: 0
        case .gauge, .info: 1
        case .histogram: 4
        }
    }
}

extension LabelSet {
    /// The labels as `LabelPair` messages with escaped names.
    func messageFields(_ escaping: NameEscaping) -> [UInt8] {
        var fields: [UInt8] = []
        forEachRendered { name, isQuoted, value in
            var pair: [UInt8] = []
            let name = Self.unescaped(name)
            pair.append(field: Proto.LabelPair.name, isQuoted ? escaping.escape(name) : name)
            pair.append(field: Proto.LabelPair.value, Self.unescaped(value))
            fields.append(field: Proto.Metric.label, pair)
        }
        return fields
    }
}
