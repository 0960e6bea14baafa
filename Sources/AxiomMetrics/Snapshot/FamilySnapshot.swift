// SPDX-License-Identifier: Apache-2.0

/// A family and the values of its series at one moment. A collection of series in the order of the page.
public struct FamilySnapshot: Sendable, RandomAccessCollection {
    /// What the family is.
    public let definition: MetricDefinition
    /// One for each series, sorted, without duplicates.
    let labels: [LabelSet]
    /// As many values as there are labels.
    let samples: Samples

    /// The position of the first series.
    public var startIndex: Int { 0 }
    /// The number of series.
    public var endIndex: Int { labels.count }

    /// The series at a position.
    public subscript(position: Int) -> SeriesSnapshot {
        switch samples {
        case .integers(let values):
            SeriesSnapshot(labels: labels[position], value: Double(values[position]), integer: values[position])
        case .numbers(let values):
            SeriesSnapshot(labels: labels[position], value: values[position])
        case .histograms(let histograms):
            SeriesSnapshot(labels: labels[position], histogram: histograms[position])
        }
    }
}

/// One series at one moment.
public struct SeriesSnapshot: Hashable, Sendable {
    /// The labels.
    public let labels: LabelSet
    /// The value of a counter or gauge; a histogram's count of observations.
    public let value: Double
    /// The exact value of an integer counter; nil for everything else.
    public let integer: UInt64?
    /// The distribution, for a histogram; nil for everything else.
    public let histogram: HistogramSnapshot?

    init(labels: LabelSet, value: Double, integer: UInt64? = nil) {
        self.labels = labels
        self.value = value
        self.integer = integer
        histogram = nil
    }

    init(labels: LabelSet, histogram: HistogramSnapshot) {
        self.labels = labels
        value = Double(histogram.count)
        integer = nil
        self.histogram = histogram
    }
}

/// A histogram at one moment.
public struct HistogramSnapshot: Hashable, Sendable {
    /// The observations in each bucket, not cumulative; the last is the `+Inf` bucket's.
    public let counts: [UInt64]
    /// The sum of the observations.
    public let sum: Double

    /// The number of observations: the sum of ``counts``.
    public var count: UInt64 { counts.reduce(0, &+) }
}

extension HistogramSamples {
    subscript(series: Int) -> HistogramSnapshot {
        HistogramSnapshot(counts: Array(counts[(series * buckets)..<((series + 1) * buckets)]), sum: sums[series])
    }
}
