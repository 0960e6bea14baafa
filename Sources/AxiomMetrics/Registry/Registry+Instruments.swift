// SPDX-License-Identifier: Apache-2.0

// Each function here chooses the class of a family's children together with the matching value storage. Reading and
// look-up rely on it (see `SortedChildren.read` and `Family`).

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
        try Family<Counter>(storage: counterStorage(name, help, .none, options, file, line))()
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
        try Family<FloatCounter>(storage: floatCounterStorage(name, help, .none, options, file, line))()
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
        try Family<Gauge>(storage: gaugeStorage(name, help, .none, options, file, line))()
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
        try Family<Histogram>(storage: histogramStorage(name, help, .none, buckets, options, file, line))()
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
        try Family<ExponentialHistogram>(
            storage: exponentialStorage(name, help, .none, bucketing, buckets, nil, options, file, line)
        )()
    }

    /// Registers a state set without labels. The page shows all states immediately with the value 0.
    ///
    /// - Parameters:
    ///   - name: Also the name of the label with the state.
    ///   - help: What has the states, in a sentence. Shown on the page.
    ///   - states: An enum; at most 64 cases.
    ///   - options: Limits.
    /// - Throws: ``MetricsError`` if the name, the help or the states are invalid, or the name is taken.
    public func stateSet<State: LabelValue & CaseIterable>(
        _ name: String,
        help: String,
        _ states: State.Type,
        options: MetricOptions = MetricOptions(),
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> StateSet<State> {
        try Family<StateSet<State>>(storage: stateStorage(name, help, states, .none, options, file, line))()
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
        let storage = try storage(
            name,
            .info,
            .information,
            help,
            LabelDeclarations(names: labels.map(\.key)),
            file: file,
            line: line
        ) {
            let one = Gauge($0)
            one.set(1)
            return one
        }
        let set = LabelSet(template: storage.labels, values: labels.map(\.value))
        _ = set.rendered.withUnsafeBufferPointer { storage.child(rendered: $0) }
    }
}

extension Registry {
    func counterStorage(
        _ name: String,
        _ help: String,
        _ labels: LabelDeclarations,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        try storage(name, .counter, .integerCounter, help, labels, options: options, file: file, line: line) {
            Counter($0)
        }
    }

    func floatCounterStorage(
        _ name: String,
        _ help: String,
        _ labels: LabelDeclarations,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        try storage(name, .counter, .floatCounter, help, labels, options: options, file: file, line: line) {
            FloatCounter($0)
        }
    }

    func gaugeStorage(
        _ name: String,
        _ help: String,
        _ labels: LabelDeclarations,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        try storage(name, .gauge, .gauge, help, labels, options: options, file: file, line: line) { Gauge($0) }
    }

    func histogramStorage(
        _ name: String,
        _ help: String,
        _ labels: LabelDeclarations,
        _ buckets: Buckets,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        let layout = BucketLayout(buckets)
        return try storage(
            name,
            .histogram,
            .histogram,
            help,
            labels,
            buckets,
            options: options,
            file: file,
            line: line
        ) {
            Histogram($0, layout: layout)
        }
    }

    func stateStorage<State: LabelValue & CaseIterable>(
        _ name: String,
        _ help: String,
        _ states: State.Type,
        _ labels: LabelDeclarations,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        do throws(MetricsError) {
            // The states have a label with the name of the family.
            try NameRules.check(labels: labels.names + [name], of: name, options.names)
            let layout = try StateLayout(states, of: name)
            let definition = try MetricDefinition(
                name,
                .stateSet,
                .stateSet,
                help: help,
                labels: labels.names,
                states: layout,
                options: options
            )
            return try storage(definition, enumerated: labels.enumerated) { StateSet<State>($0, layout: layout) }
        } catch {
            throw error.at(file, line)
        }
    }

    func exponentialStorage(
        _ name: String,
        _ help: String,
        _ labels: LabelDeclarations,
        _ bucketing: ExponentialBucketing,
        _ buckets: Buckets,
        _ shown: Buckets?,
        _ options: MetricOptions,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        let layout = buckets == [] ? nil : BucketLayout(buckets, shown: shown)
        return try storage(
            name,
            .histogram,
            .exponential,
            help,
            labels,
            shown ?? buckets,
            exponential: bucketing,
            options: options,
            file: file,
            line: line
        ) {
            ExponentialHistogram($0, bucketing: bucketing, classic: layout)
        }
    }

    private func storage(
        _ name: String,
        _ kind: MetricKind,
        _ storage: ValueStorage,
        _ help: String,
        _ labels: LabelDeclarations,
        _ buckets: Buckets = [],
        exponential: ExponentialBucketing? = nil,
        options: MetricOptions = MetricOptions(),
        file: String,
        line: Int,
        make: @escaping @Sendable (SeriesHead) -> Instrument
    ) throws(MetricsError) -> FamilyStorage {
        do throws(MetricsError) {
            return try self.storage(
                MetricDefinition(
                    name,
                    kind,
                    storage,
                    help: help,
                    labels: labels.names,
                    hasOpenLabels: labels.areOpen,
                    buckets: buckets,
                    exponential: exponential,
                    options: options
                ),
                enumerated: labels.enumerated,
                make: make
            )
        } catch {
            throw error.at(file, line)
        }
    }
}
