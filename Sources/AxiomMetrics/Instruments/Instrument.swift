// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase
internal import Synchronization

/// The base class of counters, gauges and histograms: one series of a family.
///
/// A program keeps an instrument and records into it. Recording takes no lock, looks nothing up and allocates nothing,
/// except for the first value of a histogram. Only a ``Registry`` makes instruments.
public class Instrument: @unchecked Sendable {
    // Unchecked because the class is not final. Its properties are immutable or atomic, and so are those of its
    // subclasses, which are all in this module.

    package let labels: LabelSet
    /// The number of labels; -1 if a look-up cannot compare them in place (see ``LabelKey``).
    let plainLabels: Int
    /// When the series was created, in seconds since 1970.
    let created: Double
    let context: SeriesContext
    let exemplars = ExemplarSlot()
    /// When the series was last looked up, in nanoseconds of the registry's clock. Only families with expiry update it.
    let lastLookUp = Atomic<Int64>(0)

    init(_ series: SeriesHead) {
        labels = series.labels
        plainLabels = series.labels.plainCount
        context = series.context
        created = series.created
    }
}

extension Instrument: ByteKeyed {
    @usableFromInline package var tableKey: [UInt8] { labels.rendered }
}

/// The arguments that all instruments are made from.
struct SeriesHead: Sendable {
    let labels: LabelSet
    /// Seconds since 1970.
    let created: Double
    let context: SeriesContext
}

/// The state that all instruments of a registry share.
final class SeriesContext: Sendable {
    /// The clock of new series and of exemplars.
    let clock: TimeSource
    /// Increments that counters refused.
    let refusedIncrements = RefusalCount()
    /// Exemplars that were not kept.
    let refusedExemplars = RefusalCount()
    /// Whether any exemplar was recorded; otherwise a collection need not look for exemplars.
    let hasExemplars = Atomic<Bool>(false)

    /// The epochs of the look-ups in all families.
    let epochs = ReadEpochs()
    /// The labels that every series has on a page besides its own.
    let constantLabels: LabelSet
    private let constantNames: [String]

    init(clock: TimeSource, constants: [(name: String, value: String)]) {
        self.clock = clock
        constantNames = constants.map(\.name)
        constantLabels = LabelSet(
            template: LabelTemplate(names: constantNames),
            values: constants.map { SeriesLimits.truncated($0.value, beyond: MetricOptions().valueByteLimit) }
        )
    }

    /// Checks that no label of a family has the name of a constant label, in any escaping.
    func checkConstants(beside labels: [String], of family: String, _ syntax: NameSyntax) throws(MetricsError) {
        guard !constantNames.isEmpty, !labels.isEmpty else { return }
        try NameRules.check(labels: constantNames + labels, of: family, syntax)
    }
}

extension Instrument {
    /// Keeps an exemplar, or counts that it was refused.
    func record(exemplar labels: KeyValuePairs<String, String>, value: Double, bucket: Int) {
        guard let exemplar = Exemplar(labels, value: value, timestamp: context.clock.secondsSinceEpoch) else {
            return context.refusedExemplars.add()
        }
        exemplars.record(exemplar, bucket: bucket)
        context.hasExemplars.store(true, ordering: .relaxed)
    }
}

extension Counter {
    /// Adds `amount` and keeps an exemplar. Cost: a lock and some allocations.
    ///
    /// - Parameters:
    ///   - amount: The increment.
    ///   - exemplar: Labels that identify the event, such as `["trace_id": id]`: at most 128 characters in total, with
    ///     valid label names. Others are refused, and ``Registry/refusedExemplars`` counts them.
    public func increment(by amount: UInt64 = 1, exemplar: KeyValuePairs<String, String>) {
        increment(by: amount)
        record(exemplar: exemplar, value: Double(amount), bucket: 0)
    }

    /// Adds `amount` and keeps an exemplar. A negative amount is refused, as by ``increment(by:)``, and keeps no exemplar.
    @_disfavoredOverload
    public func increment(by amount: Int, exemplar: KeyValuePairs<String, String>) {
        guard amount >= 0 else { return refuse() }
        increment(by: UInt64(amount), exemplar: exemplar)
    }
}

extension FloatCounter {
    /// Adds `amount` and keeps an exemplar, as `Counter.increment(by:exemplar:)` does.
    public func increment(by amount: Double, exemplar: KeyValuePairs<String, String>) {
        guard amount >= 0, amount < .infinity else { return increment(by: amount) }
        increment(by: amount)
        record(exemplar: exemplar, value: amount, bucket: 0)
    }
}

extension Histogram {
    /// Counts `value` and keeps an exemplar for its bucket, as `Counter.increment(by:exemplar:)` does.
    public func observe(_ value: Double, exemplar: KeyValuePairs<String, String>) {
        observe(value)
        record(exemplar: exemplar, value: value, bucket: bucket(of: value))
    }
}

extension ExponentialHistogram {
    /// Counts `value` and keeps an exemplar, as `Counter.increment(by:exemplar:)` does: one for each classic bucket, or,
    /// without classic buckets, one for each of 16 consecutive powers of two.
    public func observe(_ value: Double, exemplar: KeyValuePairs<String, String>) {
        observe(value)
        record(exemplar: exemplar, value: value, bucket: exemplarBucket(of: value))
    }

    /// The index of the exemplar that a value replaces: its classic bucket on a page, or its slot without classic buckets.
    package func exemplarBucket(of value: Double) -> Int {
        classicBucket(of: value) ?? Self.exemplarSlot(of: value)
    }

    /// The indices of exemplars are below this number.
    package var exemplarBucketCount: Int { classicBucketCount.map { $0 + 1 } ?? 16 }

    /// The index of the exemplar that a value replaces without classic buckets, 0...15: its binary exponent modulo 16.
    /// Values of any scale have 16 exemplars, and frequent small values do not replace rare large ones. Zero, infinities
    /// and NaN use index 0.
    static func exemplarSlot(of value: Double) -> Int {
        value.isFinite && value != 0 ? Int(value.exponent) & 15 : 0
    }
}
