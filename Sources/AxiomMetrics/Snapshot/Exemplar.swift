// SPDX-License-Identifier: Apache-2.0

/// One observation that stands for many: the labels lead to a trace or a log line.
public struct Exemplar: Hashable, Sendable {
    /// The most characters that names and values may have together, as OpenMetrics has it.
    public static let maximumLength = 128

    /// What leads to the occasion, such as `trace_id`. At most 128 characters in names and values together.
    public let labels: LabelSet
    /// What was observed, or by how much a counter was incremented.
    public let value: Double
    /// When, in seconds since 1970.
    public let timestamp: Double
}

/// An exemplar and where it belongs: entries are in ascending order of series and bucket.
struct ExemplarEntry: Sendable {
    /// The position of the series in its family's snapshot.
    let series: Int
    /// The classic bucket, from 0; 0 for counters. An exponential histogram without classic buckets has 16 exemplars at
    /// most, numbered by ``ExponentialHistogram/exemplarSlot(of:)``: protocol buffers show them all, a line the latest.
    let bucket: Int
    let exemplar: Exemplar
}
