// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics

/// Settings that swift-metrics does not have: help texts, buckets and limits. Labels are those of the program, before they
/// are converted to names.
public struct SwiftMetricsOptions: Sendable {
    /// Help texts by label. The default says that the metric is recorded through swift-metrics.
    public var help: [String: String]
    /// The bounds of timers' buckets, in seconds.
    public var timerBuckets: Buckets
    /// The bounds of recorders' buckets, in the unit of the recorded values.
    public var recorderBuckets: Buckets
    /// Bounds of individual timers and recorders, by label.
    public var buckets: [String: Buckets]
    /// Exponential buckets of all timers and recorders, in addition to the classic ones; by default none.
    public var exponential: ExponentialBucketing?
    /// The most series of each metric, at least 1; 2,000 by default. See ``MetricOptions/seriesLimit``.
    public var seriesLimit: Int
    /// The most labels that are shown, counted for each type of metric; 2,000 by default. Further ones are refused.
    public var metricLimit: Int
    /// Removes a series that was unreferenced and not looked up for this time; nil for never. With expiry a look-up costs
    /// more. See ``MetricOptions/idleExpiry``.
    public var idleExpiry: Duration?
    /// The most bytes of one dimension's value, at least 64; 1,024 by default. See ``MetricOptions/valueByteLimit``.
    public var valueByteLimit: Int
    /// The most bytes of the labels of all series of one metric. See ``MetricOptions/labelByteLimit``.
    public var labelByteLimit: Int?

    /// Powers of four from 1 to a million, for sizes and counts.
    public static let standardRecorderBuckets = Buckets.exponential(start: 1, factor: 4, count: 11)

    /// Standard buckets and limits, no help texts.
    public static let standard = SwiftMetricsOptions()

    /// Makes options. An invalid one is logged when a metric that needs it is first used.
    public init(
        help: [String: String] = [:],
        timerBuckets: Buckets = .standard,
        recorderBuckets: Buckets = SwiftMetricsOptions.standardRecorderBuckets,
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
