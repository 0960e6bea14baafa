// SPDX-License-Identifier: Apache-2.0

extension Registry {
    /// Registers a family of counters.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func counters<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Counter, repeat each Value> {
        let names = LabelDeclarations(repeat each labels)
        return Family(storage: try counterStorage(name, help, names, options, file, line))
    }

    /// Registers a family of floating-point counters.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func floatCounters<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<FloatCounter, repeat each Value> {
        let names = LabelDeclarations(repeat each labels)
        return Family(storage: try floatCounterStorage(name, help, names, options, file, line))
    }

    /// Registers a family of gauges.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is measured, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help or a label is invalid, or the name is taken.
    public func gauges<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<Gauge, repeat each Value> {
        let names = LabelDeclarations(repeat each labels)
        return Family(storage: try gaugeStorage(name, help, names, options, file, line))
    }

    /// Registers a family of histograms.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    ///   - buckets: The inclusive upper bounds, without `+Inf`.
    ///   - options: Unit and limits.
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
        let names = LabelDeclarations(repeat each labels)
        return Family(storage: try histogramStorage(name, help, names, buckets, options, file, line))
    }

    /// Registers a family of exponential histograms.
    ///
    /// - Parameters:
    ///   - name: Ends in the base unit, if there is one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - labels: The names of the labels and the types of their values.
    ///   - bucketing: How buckets are chosen and limited.
    ///   - buckets: Bounds of additional classic buckets; by default none.
    ///   - options: Unit and limits.
    /// - Throws: ``MetricsError`` if the name, the help, a label, the bucketing or a bound is invalid, or the name is
    ///   taken.
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
        let names = LabelDeclarations(repeat each labels)
        return Family(storage: try exponentialStorage(name, help, names, bucketing, buckets, nil, options, file, line))
    }

    /// Registers a family of exponential histograms that record more classic buckets than a page shows.
    ///
    /// - Parameters:
    ///   - buckets: The bounds of the recorded classic buckets; see ``ExponentialHistogram/reading``.
    ///   - shownBuckets: The bounds on a page, which must be among `buckets`; may be empty.
    /// - Throws: ``MetricsError`` as for the other families.
    package func exponentialHistograms<each Value: LabelValue>(
        _ name: String,
        help: String,
        labels: repeat Label<each Value>,
        bucketing: ExponentialBucketing,
        buckets: Buckets,
        shownBuckets: Buckets,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<ExponentialHistogram, repeat each Value> {
        let names = LabelDeclarations(repeat each labels)
        return Family(
            storage: try exponentialStorage(
                name,
                help,
                names,
                bucketing,
                buckets,
                shownBuckets,
                MetricOptions(),
                file,
                line
            )
        )
    }

    /// Registers a family of state sets.
    ///
    /// - Parameters:
    ///   - name: Also the name of the label with the state.
    ///   - help: What has the states, in a sentence. Shown on the page.
    ///   - states: An enum; at most 64 cases.
    ///   - labels: The names of the other labels and the types of their values.
    ///   - options: Limits.
    /// - Throws: ``MetricsError`` if the name, the help, a label or the states are invalid, or the name is taken.
    public func stateSets<State: LabelValue & CaseIterable, each Value: LabelValue>(
        _ name: String,
        help: String,
        _ states: State.Type,
        labels: repeat Label<each Value>,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Family<StateSet<State>, repeat each Value> {
        let names = LabelDeclarations(repeat each labels)
        return Family(storage: try stateStorage(name, help, states, names, options, file, line))
    }
}
