// SPDX-License-Identifier: Apache-2.0

extension Registry {
    /// Registers a counter without labels. The page shows it immediately with the value 0.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    public func counter(
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Counter {
        try single(.counter, name, help, options, file, line)
    }

    /// Registers a floating-point counter without labels. The page shows it immediately with the value 0.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    public func floatCounter(
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> FloatCounter {
        try single(.floatCounter, name, help, options, file, line)
    }

    /// Registers a gauge without labels. The page shows it immediately with the value 0.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    public func gauge(
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Gauge {
        try single(.gauge, name, help, options, file, line)
    }

    /// Registers a histogram without labels. The page shows it immediately with zeros.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - buckets: The inclusive upper bounds, without `+Inf`.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help or a bound is invalid, or the name is taken.
    public func histogram(
        _ name: String,
        help: String,
        buckets: Buckets = .standard,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Histogram {
        try single(.histogram(buckets), name, help, options, file, line)
    }

    /// Registers an exponential histogram without labels. The page shows it immediately with zeros.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - bucketing: How buckets are chosen and limited.
    ///   - buckets: Bounds of additional classic buckets; by default none.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help, the bucketing or a bound is invalid, or the name is taken.
    public func exponentialHistogram(
        _ name: String,
        help: String,
        bucketing: ExponentialBucketing = ExponentialBucketing(),
        buckets: Buckets = [],
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> ExponentialHistogram {
        try single(.exponentialHistogram(bucketing, buckets: buckets), name, help, options, file, line)
    }

    /// Registers constant information, such as a version, as the labels of a series with the value 1.
    ///
    /// - Parameters:
    ///   - name: Ends in `_info`.
    ///   - help: What the information is about, in a sentence. Shown on the page.
    ///   - labels: The information. A second registration with the same label names adds a series, or finds the existing
    ///     one.
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func info(
        _ name: String,
        help: String,
        _ labels: KeyValuePairs<String, String>,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) {
        let declarations = LabelDeclarations(names: labels.map(\.key))
        let storage = try storage(.information, name, help, declarations, MetricOptions(), file, line)
        _ = storage.child(LabelSet(template: storage.labels, values: labels.map(\.value)))
    }
}
