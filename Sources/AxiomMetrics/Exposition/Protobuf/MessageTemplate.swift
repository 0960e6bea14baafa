// SPDX-License-Identifier: Apache-2.0

/// The bytes of a family that are the same in every one of its messages: name, help, type and unit.
struct MessageTemplate: Sendable {
    let header: [UInt8]
    private let kind: MetricKind
    private let escaping: NameEscaping

    init(_ definition: MetricDefinition, _ escaping: NameEscaping) {
        var header: [UInt8] = []
        header.append(field: Proto.Family.name, escaping.escape(definition.name))
        header.append(field: Proto.Family.help, definition.help)
        header += [Proto.Family.type, Self.type(of: definition.kind)]
        if let unit = definition.unit { header.append(field: Proto.Family.unit, unit) }
        self.header = header
        kind = definition.kind
        self.escaping = definition.hasClassicLabels ? .allowUTF8 : escaping
    }

    /// For each series, rendered once: of counters and gauges all but the value, which comes last; of histograms the
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

    /// `MetricType`: what the format does not know, info metrics and state sets, are gauges.
    private static func type(of kind: MetricKind) -> UInt8 {
        switch kind.shape {
        case .counter: 0
        case .gauge, .info, .stateSet: 1
        case .histogram: 4
        }
    }
}

extension LabelSet {
    /// The labels as `LabelPair` messages, the names escaped.
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
