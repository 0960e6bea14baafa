// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// A family and the values of its series at one moment: a collection of series in page order.
package struct FamilySnapshot: Sendable, RandomAccessCollection {
    package let definition: MetricDefinition
    /// The labels, sorted, without duplicates, and their renderings.
    let series: SeriesList
    /// One value per series.
    let samples: Samples
    /// Exemplars in the order of series and buckets. Most families have none.
    private(set) var exemplars: [ExemplarEntry] = []
    /// The look-ups that were refused because the family is full; nil if there were none.
    package private(set) var overflow: FamilyOverflow?
    /// The number of look-ups with a label value that was cut to the `valueByteLimit` of ``MetricOptions``.
    package private(set) var truncations: UInt64 = 0

    /// One for each series, sorted, without duplicates.
    var labels: [LabelSet] { series.labels }

    /// When a series was created or reset, in seconds since 1970; nil if that is not known, as for collected series.
    func created(_ position: Int) -> Double? {
        if case .exponentials(let samples) = samples { return samples.created[position] }
        return series.created.isEmpty ? nil : series.created[position]
    }

    /// The position of the first series.
    package var startIndex: Int { 0 }
    /// The number of series.
    package var endIndex: Int { labels.count }

    package subscript(position: Int) -> SeriesSnapshot {
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

    /// The same series with further labels.
    func appending(_ labels: LabelSet) -> FamilySnapshot {
        FamilySnapshot(
            definition: definition,
            series: SeriesList(self.labels.map { $0.appending(labels) }, created: series.created),
            samples: samples,
            exemplars: exemplars,
            overflow: overflow,
            truncations: truncations
        )
    }
}

/// One series at one moment.
public struct SeriesSnapshot: Hashable, Sendable {
    package let labels: LabelSet
    /// When the series was created or reset, in seconds since 1970; nil if that is not known, as for collected series.
    package let created: Double?
    /// The value of a counter or gauge; the number of observations of a histogram; 1 for the current state, 0 for others.
    public fileprivate(set) var value: Double = 0
    /// The exact value of an integer counter; nil for everything else.
    package fileprivate(set) var integer: UInt64?
    /// The classic buckets of a histogram, only `+Inf` if it has no others; nil for everything else.
    public fileprivate(set) var histogram: HistogramSnapshot?
    /// The exponential buckets of a histogram that has them; nil for everything else.
    public fileprivate(set) var exponential: ExponentialHistogramData?
    /// The exemplars: at most one for a counter and for each bucket.
    package fileprivate(set) var exemplars: [Exemplar] = []

    fileprivate init(labels: LabelSet, created: Double?) {
        self.labels = labels
        self.created = created
    }

    fileprivate mutating func take(_ histogram: HistogramSnapshot) {
        self.histogram = histogram
        value = Double(histogram.count)
    }
}

extension HistogramSamples {
    subscript(series: Int) -> HistogramSnapshot {
        HistogramSnapshot(counts: Array(counts[(series * buckets)..<((series + 1) * buckets)]), sum: sums[series])
    }
}
