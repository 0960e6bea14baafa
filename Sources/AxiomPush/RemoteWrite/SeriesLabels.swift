// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

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
