// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A family and the values of its series at one moment. A collection of series in the order of the page.
public struct FamilySnapshot: Sendable, RandomAccessCollection {
    /// What the family is.
    public let definition: MetricDefinition
    /// The labels, sorted, without duplicates, with what encoders have made of them.
    let series: SeriesList
    /// As many values as there are series.
    let samples: Samples
    /// Exemplars in the order of series and buckets; most families have none.
    let exemplars: [ExemplarEntry]
    /// What was refused because the family is full; nil when nothing was.
    public let overflow: FamilyOverflow?
    /// How many look-ups had a label value that was cut to ``MetricOptions/valueByteLimit``.
    public let truncations: UInt64

    init(
        definition: MetricDefinition,
        series: SeriesList,
        samples: Samples,
        exemplars: [ExemplarEntry] = [],
        overflow: FamilyOverflow? = nil,
        truncations: UInt64 = 0
    ) {
        self.definition = definition
        self.series = series
        self.samples = samples
        self.exemplars = exemplars
        self.overflow = overflow
        self.truncations = truncations
    }

    /// One for each series, sorted, without duplicates.
    var labels: [LabelSet] { series.labels }

    /// When a series began to count, in seconds since 1970; nil when that is not known, as of collectors' series.
    func created(_ position: Int) -> Double? {
        if case .exponentials(let samples) = samples { return samples.created[position] }
        return series.created.isEmpty ? nil : series.created[position]
    }

    /// The position of the first series.
    public var startIndex: Int { 0 }
    /// The number of series.
    public var endIndex: Int { labels.count }

    /// The series at a position.
    public subscript(position: Int) -> SeriesSnapshot {
        var series = SeriesSnapshot(labels: labels[position], created: created(position))
        switch samples {
        case .integers(let values):
            series.value = Double(values[position])
            series.integer = values[position]
        case .numbers(let values):
            series.value = values[position]
        case .histograms(let histograms):
            series.take(histograms[position])
        case .exponentials(let exponentials):
            series.take(exponentials.classic[position])
            series.exponential = exponentials.data[position]
        }
        series.exemplars = exemplars.filter { $0.series == position }.map(\.exemplar)
        return series
    }
}

/// One series at one moment.
public struct SeriesSnapshot: Hashable, Sendable {
    /// The labels.
    public let labels: LabelSet
    /// When the series began to count, in seconds since 1970; nil when that is not known, as of collectors' series.
    public let created: Double?
    /// The value of a counter or gauge; a histogram's count of observations; 1 for the present state, 0 for others.
    public fileprivate(set) var value: Double = 0
    /// The exact value of an integer counter; nil for everything else.
    public fileprivate(set) var integer: UInt64?
    /// The distribution over classic buckets, for a histogram; nil for everything else. One that has exponential
    /// buckets alone has the `+Inf` bucket here.
    public fileprivate(set) var histogram: HistogramSnapshot?
    /// The distribution over exponential buckets, for a histogram that has them; nil for everything else.
    public fileprivate(set) var exponential: ExponentialHistogramData?
    /// What was recorded as an example: at most one for a counter and for each bucket.
    public fileprivate(set) var exemplars: [Exemplar] = []

    fileprivate init(labels: LabelSet, created: Double?) {
        self.labels = labels
        self.created = created
    }

    fileprivate mutating func take(_ histogram: HistogramSnapshot) {
        self.histogram = histogram
        value = Double(histogram.count)
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
