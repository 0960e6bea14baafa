// SPDX-License-Identifier: Apache-2.0

extension Registry {
    /// Counters of whole steps, told apart by labels.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    /// - Throws: ``MetricsError`` when the name, the help or a label is invalid, or the name is taken.
    public func counters<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Counter, repeat each Value> {
        let names = Self.names(of: repeat each labels)
        return Family(storage: try counterStorage(name, help, names, file, line))
    }

    /// Counters of steps of any size, told apart by labels.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    /// - Throws: ``MetricsError`` when the name, the help or a label is invalid, or the name is taken.
    public func floatCounters<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<FloatCounter, repeat each Value> {
        let names = Self.names(of: repeat each labels)
        return Family(storage: try floatCounterStorage(name, help, names, file, line))
    }

    /// Gauges, told apart by labels.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    /// - Throws: ``MetricsError`` when the name, the help or a label is invalid, or the name is taken.
    public func gauges<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Gauge, repeat each Value> {
        let names = Self.names(of: repeat each labels)
        return Family(storage: try gaugeStorage(name, help, names, file, line))
    }

    /// Histograms, told apart by labels.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    ///   - buckets: The inclusive upper bounds, without `+Inf`.
    /// - Throws: ``MetricsError`` when the name, the help, a label or a bound is invalid, or the name is taken.
    public func histograms<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        buckets: Buckets = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Histogram, repeat each Value> {
        let names = Self.names(of: repeat each labels)
        return Family(storage: try histogramStorage(name, help, names, buckets, file, line))
    }

    private static func names<each Value: LabelValue>(of labels: repeat Label<each Value>) -> [String] {
        var names: [String] = []
        for label in repeat each labels { names.append(label.name) }
        return names
    }
}
