// SPDX-License-Identifier: Apache-2.0

// Each function here chooses the class of a family's children and the matching value storage together; reading and
// look-up rely on the pair (see `SortedChildren.read` and `Family`).

extension Registry {
    /// A counter of whole steps, without labels. It is on the page at once, as 0.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken.
    public func counter(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Counter {
        try Family<Counter>(storage: counterStorage(name, help, [], file, line))()
    }

    /// A counter of steps of any size, without labels. It is on the page at once, as 0.
    ///
    /// - Parameters:
    ///   - name: Ends in `_total`.
    ///   - help: What is counted, in a sentence. Shown on the page.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken.
    public func floatCounter(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> FloatCounter {
        try Family<FloatCounter>(storage: floatCounterStorage(name, help, [], file, line))()
    }

    /// A gauge without labels. It is on the page at once, as 0.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is measured, in a sentence. Shown on the page.
    /// - Throws: ``MetricsError`` when the name or the help is invalid, or the name is taken.
    public func gauge(
        _ name: String,
        help: String,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Gauge {
        try Family<Gauge>(storage: gaugeStorage(name, help, [], file, line))()
    }

    /// A histogram without labels. It is on the page at once, all zeros.
    ///
    /// - Parameters:
    ///   - name: With its base unit as suffix, where it has one: `_seconds`, `_bytes`.
    ///   - help: What is observed, in a sentence. Shown on the page.
    ///   - buckets: The inclusive upper bounds, without `+Inf`.
    /// - Throws: ``MetricsError`` when the name, the help or a bound is invalid, or the name is taken.
    public func histogram(
        _ name: String,
        help: String,
        buckets: Buckets = .standard,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) -> Histogram {
        try Family<Histogram>(storage: histogramStorage(name, help, [], buckets, file, line))()
    }

    /// Constant facts, as the labels of a series whose value is 1: a version, a revision.
    ///
    /// - Parameters:
    ///   - name: Ends in `_info`.
    ///   - help: What the facts are about, in a sentence. Shown on the page.
    ///   - labels: The facts. Registering the name again with the same label names adds a series or finds the old one.
    /// - Throws: ``MetricsError`` when the name, the help or a label is invalid, or the name is taken.
    public func info(
        _ name: String,
        help: String,
        _ labels: KeyValuePairs<String, String>,
        file: String = #fileID,
        line: Int = #line
    ) throws(MetricsError) {
        let storage = try storage(name, .info, .information, help, labels.map(\.key), file: file, line: line) {
            let one = Gauge(labels: $0)
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
        _ labels: [String],
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        try storage(name, .counter, .integerCounter, help, labels, file: file, line: line) { Counter(labels: $0) }
    }

    func floatCounterStorage(
        _ name: String,
        _ help: String,
        _ labels: [String],
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        let refusals = refusals
        return try storage(name, .counter, .floatCounter, help, labels, file: file, line: line) {
            FloatCounter(labels: $0, refusals: refusals)
        }
    }

    func gaugeStorage(
        _ name: String,
        _ help: String,
        _ labels: [String],
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        try storage(name, .gauge, .gauge, help, labels, file: file, line: line) { Gauge(labels: $0) }
    }

    func histogramStorage(
        _ name: String,
        _ help: String,
        _ labels: [String],
        _ buckets: Buckets,
        _ file: String,
        _ line: Int
    ) throws(MetricsError) -> FamilyStorage {
        let layout = BucketLayout(buckets)
        return try storage(name, .histogram, .histogram, help, labels, buckets, file: file, line: line) {
            Histogram(labels: $0, layout: layout)
        }
    }

    private func storage(
        _ name: String,
        _ kind: MetricKind,
        _ storage: ValueStorage,
        _ help: String,
        _ labels: [String],
        _ buckets: Buckets = [],
        file: String,
        line: Int,
        make: @escaping @Sendable (LabelSet) -> Instrument
    ) throws(MetricsError) -> FamilyStorage {
        do throws(MetricsError) {
            return try self.storage(
                MetricDefinition(name, kind, storage, help: help, labels: labels, buckets: buckets),
                make: make
            )
        } catch {
            throw error.at(file, line)
        }
    }
}
