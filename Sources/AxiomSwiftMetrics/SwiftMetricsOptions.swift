// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics

/// Settings that swift-metrics does not have: help texts, buckets and limits. Labels are those of the program, before they
/// are converted to names.
public struct SwiftMetricsOptions: Sendable {
    // The parameters of the initializer, which describes them.
    let help: [String: String]
    let timerBuckets: Buckets
    let recorderBuckets: Buckets
    let buckets: [String: Buckets]
    package var exponential: ExponentialBucketing?
    let seriesLimit: Int
    let metricLimit: Int
    let idleExpiry: Duration?
    let valueByteLimit: Int
    let labelByteLimit: Int?

    /// Makes options. An invalid one is logged when a metric that needs it is first used.
    ///
    /// - Parameters:
    ///   - help: Help texts by label. The default says that the metric is recorded through swift-metrics.
    ///   - timerBuckets: The bounds of timers' buckets, in seconds.
    ///   - recorderBuckets: The bounds of recorders' buckets, in the unit of the recorded values; by default powers of four
    ///     from 1 to a million, for sizes and counts.
    ///   - buckets: Bounds of individual timers and recorders, by label.
    ///   - exponential: Exponential buckets of all timers and recorders, in addition to the classic ones; by default none.
    ///   - seriesLimit: The most series of each metric, at least 1. See ``MetricOptions``.
    ///   - metricLimit: The most labels that are shown, counted for each type of metric. Further ones are refused.
    ///   - idleExpiry: Removes a series that was unreferenced and not looked up for this time; nil for never. With expiry a
    ///     look-up costs more. See ``MetricOptions``.
    ///   - valueByteLimit: The most bytes of one dimension's value, at least 64. See ``MetricOptions``.
    ///   - labelByteLimit: The most bytes of the labels of all series of one metric. See ``MetricOptions``.
    public init(
        help: [String: String] = [:],
        timerBuckets: Buckets = .standard,
        recorderBuckets: Buckets = .exponential(start: 1, factor: 4, count: 11),
        buckets: [String: Buckets] = [:],
        exponential: ExponentialBucketing? = nil,
        seriesLimit: Int = 2_000,
        metricLimit: Int = 2_000,
        idleExpiry: Duration? = nil,
        valueByteLimit: Int = 1_024,
        labelByteLimit: Int? = nil
    ) {
        self.help = help
        self.timerBuckets = timerBuckets
        self.recorderBuckets = recorderBuckets
        self.buckets = buckets
        self.exponential = exponential
        self.seriesLimit = seriesLimit
        self.metricLimit = metricLimit
        self.idleExpiry = idleExpiry
        self.valueByteLimit = valueByteLimit
        self.labelByteLimit = labelByteLimit
    }

    /// The options of one family.
    func metric(unit: String? = nil) -> MetricOptions {
        MetricOptions(
            unit: unit,
            seriesLimit: seriesLimit,
            idleExpiry: idleExpiry,
            valueByteLimit: valueByteLimit,
            labelByteLimit: labelByteLimit
        )
    }

    /// The help text of a label.
    func help(for label: String) -> String {
        help[label] ?? "Recorded through swift-metrics as \(label)."
    }
}
