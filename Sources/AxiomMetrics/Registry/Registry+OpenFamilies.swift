// SPDX-License-Identifier: Apache-2.0

extension Registry {
    /// Registers a family of counters, each with its own label names.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    package func openCounters(
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Counter> {
        OpenFamily(storage: try counterStorage(name, help, .open, options, file, line))
    }

    /// Registers a family of floating-point counters, each with its own label names.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    package func openFloatCounters(
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<FloatCounter> {
        OpenFamily(storage: try floatCounterStorage(name, help, .open, options, file, line))
    }

    /// Registers a family of gauges, each with its own label names.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name or the help is invalid, or the name is taken.
    package func openGauges(
        _ name: String,
        help: String,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Gauge> {
        OpenFamily(storage: try gaugeStorage(name, help, .open, options, file, line))
    }

    /// Registers a family of histograms, each with its own label names.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - buckets: The inclusive upper bounds, without `+Inf`.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help or a bound is invalid, or the name is taken.
    package func openHistograms(
        _ name: String,
        help: String,
        buckets: Buckets = .standard,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Histogram> {
        OpenFamily(storage: try histogramStorage(name, help, .open, buckets, options, file, line))
    }

    /// Registers a family of exponential histograms, each with its own label names.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - bucketing: How buckets are chosen and limited.
    ///   - buckets: Bounds of additional classic buckets; by default none.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help, the bucketing or a bound is invalid, or the name is taken.
    package func openExponentialHistograms(
        _ name: String,
        help: String,
        bucketing: ExponentialBucketing = ExponentialBucketing(),
        buckets: Buckets = [],
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<ExponentialHistogram> {
        OpenFamily(storage: try exponentialStorage(name, help, .open, bucketing, buckets, nil, options, file, line))
    }
}
