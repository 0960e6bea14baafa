// SPDX-License-Identifier: Apache-2.0

public import AxiomMetrics

/// What swift-metrics has no words for: help texts, buckets and limits. Labels are those that the program uses, before
/// they are made names.
public struct SwiftMetricsOptions: Sendable {
    /// Help texts by label. A metric that is not here is said to be recorded through swift-metrics.
    public var help: [String: String]
    /// The bounds of timers' buckets, in seconds.
    public var timerBuckets: Buckets
    /// The bounds of recorders' buckets, in the unit of what they record.
    public var recorderBuckets: Buckets
    /// Bounds for single timers and recorders, by label.
    public var buckets: [String: Buckets]
    /// Exponential buckets for all timers and recorders, beside the classic ones; none unless told.
    public var exponential: ExponentialBucketing?
    /// The most series of each metric, at least 1; 2,000 by default. See ``MetricOptions/seriesLimit``.
    public var seriesLimit: Int
    /// The most labels that are shown, counted for each type of metric; 2,000 by default. Further ones are refused.
    public var metricLimit: Int
    /// Drops a series that nobody holds and nobody asked for in this time; nil for never. Asking for a series costs more
    /// where series expire. See ``MetricOptions/idleExpiry``.
    public var idleExpiry: Duration?
    /// The most bytes of one dimension's value, at least 64; 1,024 by default. See ``MetricOptions/valueByteLimit``.
    public var valueByteLimit: Int
    /// The most bytes of the labels of all series of one metric. See ``MetricOptions/labelByteLimit``.
    public var labelByteLimit: Int?

    /// Powers of four from 1 to a million: for sizes and numbers of things.
    public static let standardRecorderBuckets = Buckets.exponential(start: 1, factor: 4, count: 11)

    /// Standard buckets and limits, no help texts.
    public static let standard = SwiftMetricsOptions()

    /// Takes options; what is wrong with one is logged when a metric is first used that needs it.
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
