// SPDX-License-Identifier: Apache-2.0

// Families take the parameters of the instruments in `Registry+Instruments.swift`, and the names of the labels with the types
// of their values.

extension Registry {
    /// Registers a family of counters. Its parameters are those of ``counter(_:help:options:file:line:)``.
    ///
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func counters<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Counter, repeat each Value> {
        try family(.counter, name, help: help, labels: repeat each labels, options: options, file: file, line: line)
    }

    /// Registers a family of floating-point counters. Its parameters are those of
    /// ``floatCounter(_:help:options:file:line:)``.
    ///
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func floatCounters<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<FloatCounter, repeat each Value> {
        try family(
            .floatCounter,
            name,
            help: help,
            labels: repeat each labels,
            options: options,
            file: file,
            line: line
        )
    }

    /// Registers a family of gauges. Its parameters are those of ``gauge(_:help:options:file:line:)``.
    ///
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func gauges<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Gauge, repeat each Value> {
        try family(.gauge, name, help: help, labels: repeat each labels, options: options, file: file, line: line)
    }

    /// Registers a family of histograms. Its parameters are those of ``histogram(_:help:buckets:options:file:line:)``.
    ///
    /// - Throws: ``MetricsError`` if the name, the help, a label or a bound is invalid, or the name is taken.
    public func histograms<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        buckets: Buckets = .standard,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Histogram, repeat each Value> {
        try family(
            .histogram(buckets),
            name,
            help: help,
            labels: repeat each labels,
            options: options,
            file: file,
            line: line
        )
    }

    /// Registers a family of exponential histograms. Its parameters are those of
    /// ``exponentialHistogram(_:help:bucketing:buckets:options:file:line:)``.
    ///
    /// - Throws: ``MetricsError`` if the name, the help, a label, the bucketing or a bound is invalid, or the name is taken.
    public func exponentialHistograms<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        bucketing: ExponentialBucketing = ExponentialBucketing(),
        buckets: Buckets = [],
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<ExponentialHistogram, repeat each Value> {
        try family(
            .exponentialHistogram(bucketing, buckets: buckets),
            name,
            help: help,
            labels: repeat each labels,
            options: options,
            file: file,
            line: line
        )
    }
}
