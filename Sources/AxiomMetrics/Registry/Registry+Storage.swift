// SPDX-License-Identifier: Apache-2.0

// Each function here chooses the class of a family's children together with the matching value storage. Reading and
// look-up rely on it (see `SortedChildren.read` and `Family`).

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

    func storage(
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
