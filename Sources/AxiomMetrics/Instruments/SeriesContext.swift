// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// What all instruments of a registry share.
final class SeriesContext: Sendable {
    /// Where the times of new series and of exemplars come from.
    let clock: TimeSource
    /// Increments that floating-point counters have refused.
    let refusedIncrements = RefusalCount()
    /// Exemplars that no format could show.
    let refusedExemplars = RefusalCount()
    /// Whether there has been any exemplar: where there was none, nobody needs to look for them.
    let hasExemplars = Atomic<Bool>(false)

    /// Of the look-ups of all families.
    let epochs = ReadEpochs()
    /// The labels that every series has on a page, beside its own.
    let constantLabels: LabelSet
    private let constantNames: [String]

    init(clock: TimeSource, constants: [(name: String, value: String)]) {
        self.clock = clock
        constantNames = constants.map(\.name)
        constantLabels = LabelSet(
            template: LabelTemplate(names: constantNames),
            values: constants.map { SeriesLimits.truncated($0.value, beyond: MetricOptions.standard.valueByteLimit) }
        )
    }

    /// Checks that no label of a family has the name of a constant one, whatever the escaping.
    func checkConstants(beside labels: [String], of family: String, _ syntax: NameSyntax) throws(MetricsError) {
        guard !constantNames.isEmpty, !labels.isEmpty else { return }
        try NameRules.check(labels: constantNames + labels, of: family, syntax)
    }
}

extension Instrument {
    /// Keeps an exemplar, or counts that it could not be kept.
    func record(exemplar labels: KeyValuePairs<String, String>, value: Double, bucket: Int) {
        let names = labels.map(\.key)
        let length = labels.reduce(0) { $0 + $1.key.unicodeScalars.count + $1.value.unicodeScalars.count }
        guard length <= Exemplar.maximumLength, Set(names).count == names.count,
            names.allSatisfy(NameRules.isIdentifier)
        else { return context.refusedExemplars.add() }
        let set = LabelSet(template: LabelTemplate(names: names), values: labels.map(\.value))
        exemplars.record(
            Exemplar(labels: set, value: value, timestamp: context.clock.secondsSinceEpoch),
            bucket: bucket
        )
        context.hasExemplars.store(true, ordering: .relaxed)
    }
}

extension Counter {
    /// Adds `amount`, and keeps what it was for as the counter's exemplar.
    ///
    /// - Parameters:
    ///   - amount: How much.
    ///   - exemplar: What leads to the occasion, such as `["trace_id": id]`. At most 128 characters in all, names as
    ///     those of labels; another is not kept, and ``Registry/refusedExemplars`` counts it.
    /// Cost: a lock and some allocations.
    public func increment(by amount: UInt64 = 1, exemplar: KeyValuePairs<String, String>) {
        increment(by: amount)
        record(exemplar: exemplar, value: Double(amount), bucket: 0)
    }
}

extension Counter {
    /// Adds `amount`, which must not be negative, and keeps what it was for as the counter's exemplar. A negative one is
    /// refused, as ``increment(by:)`` does, and keeps no exemplar.
    @_disfavoredOverload
    public func increment(by amount: Int, exemplar: KeyValuePairs<String, String>) {
        guard amount >= 0 else { return refuse() }
        increment(by: UInt64(amount), exemplar: exemplar)
    }
}

extension FloatCounter {
    /// Adds `amount`, and keeps what it was for as the counter's exemplar, as ``Counter/increment(by:exemplar:)`` does.
    public func increment(by amount: Double, exemplar: KeyValuePairs<String, String>) {
        guard amount >= 0, amount < .infinity else { return increment(by: amount) }
        increment(by: amount)
        record(exemplar: exemplar, value: amount, bucket: 0)
    }
}

extension Histogram {
    /// Counts `value`, and keeps the occasion as the exemplar of its bucket, as ``Counter/increment(by:exemplar:)`` does.
    public func observe(_ value: Double, exemplar: KeyValuePairs<String, String>) {
        observe(value)
        record(exemplar: exemplar, value: value, bucket: bucket(of: value))
    }
}

extension ExponentialHistogram {
    /// Counts `value`, and keeps the occasion as an exemplar, as ``Counter/increment(by:exemplar:)`` does: one for each
    /// classic bucket, or, where there are none, one for each of sixteen neighbouring orders of magnitude (powers of
    /// two).
    public func observe(_ value: Double, exemplar: KeyValuePairs<String, String>) {
        observe(value)
        record(exemplar: exemplar, value: value, bucket: classicBucket(of: value) ?? Self.exemplarSlot(of: value))
    }

    /// Which exemplar a value replaces where there are no classic buckets, 0...15: that of its order of magnitude modulo
    /// 16, so that values of any scale have sixteen, and rare large ones are not driven out by the many small ones. What
    /// has no order of magnitude (0, infinities, NaN) shares the first.
    static func exemplarSlot(of value: Double) -> Int {
        value.isFinite && value != 0 ? Int(value.exponent) & 15 : 0
    }
}
