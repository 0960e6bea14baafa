// SPDX-License-Identifier: Apache-2.0

extension Registry {
    /// Counters of whole steps, each with label names of its own.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken.
    public func openCounters(
        _ name: String,
        help: String,
        options: MetricOptions = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Counter> {
        OpenFamily(storage: try counterStorage(name, help, .open, options, file, line))
    }

    /// Counters of steps of any size, each with label names of its own.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken.
    public func openFloatCounters(
        _ name: String,
        help: String,
        options: MetricOptions = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<FloatCounter> {
        OpenFamily(storage: try floatCounterStorage(name, help, .open, options, file, line))
    }

    /// Gauges, each with label names of its own.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken.
    public func openGauges(
        _ name: String,
        help: String,
        options: MetricOptions = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Gauge> {
        OpenFamily(storage: try gaugeStorage(name, help, .open, options, file, line))
    }

    /// Histograms, each with label names of its own.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - buckets: The inclusive upper bounds, without `+Inf`.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` when the name, the help or a bound is invalid, or the name is taken.
    public func openHistograms(
        _ name: String,
        help: String,
        buckets: Buckets = .standard,
        options: MetricOptions = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<Histogram> {
        OpenFamily(storage: try histogramStorage(name, help, .open, buckets, options, file, line))
    }

    /// Histograms of exponential buckets, each with label names of its own.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - bucketing: How the buckets are chosen.
    ///   - buckets: Bounds of classic buckets that are kept besides; none unless told.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` when the name, the help, the bucketing or a bound is invalid, or the name is taken.
    public func openExponentialHistograms(
        _ name: String,
        help: String,
        bucketing: ExponentialBucketing = .standard,
        buckets: Buckets = [],
        options: MetricOptions = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> OpenFamily<ExponentialHistogram> {
        OpenFamily(storage: try exponentialStorage(name, help, .open, bucketing, buckets, options, file, line))
    }
}
