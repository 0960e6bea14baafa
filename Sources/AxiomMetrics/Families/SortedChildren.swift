// SPDX-License-Identifier: Apache-2.0

/// The children of a family in page order, and their labels, which snapshots share.
struct SortedChildren: Sendable {
    let children: [Instrument]
    let series: SeriesList

    /// - Parameter constants: The labels that every series of the registry has on its pages.
    init(_ unsorted: [Instrument], _ constants: LabelSet) {
        // A common prefix does not change the order.
        children = unsorted.sorted { $0.labels < $1.labels }
        let labels = constants.isEmpty ? children.map(\.labels) : children.map { constants.appending($0.labels) }
        series = SeriesList(labels, created: children.map(\.created))
    }

    /// The exemplars of all series. A recorded exemplar takes precedence over one that was found for the same bucket.
    func exemplars(and found: FoundExemplars) -> [ExemplarEntry] {
        children.enumerated().flatMap { position, child in
            let found = found[child]
            var all = child.exemplars.read()
            if !found.isEmpty {
                let taken = Set(all.map(\.bucket))
                all += found.lazy.filter { !taken.contains($0.key) }.map { ($0.key, $0.value) }
                all.sort { $0.bucket < $1.bucket }
            }
            return all.map { ExemplarEntry(series: position, bucket: $0.bucket, exemplar: $0.exemplar) }
        }
    }

    /// Reads all values.
    ///
    /// The casts here and in the samples are not checked: only `MetricRecipe.swift` chooses the class of the
    /// children, together with the value storage.
    func read(_ definition: MetricDefinition, now: Double) -> Samples {
        let buckets = definition.buckets.upperBounds.count + 1
        return switch definition.storage {
        case .integerCounter:
            .integers(children.readEach(as: Counter.self) { $0.value })
        case .floatCounter:
            .numbers(children.readEach(as: FloatCounter.self) { $0.value })
        case .histogram:
            .histograms(HistogramSamples(children, buckets: buckets))
        case .exponential:
            .exponentials(ExponentialSamples(children, buckets: buckets, now: now))
        case .gauge, .information, .callback, .collected:
            .numbers(children.readEach(as: Gauge.self) { $0.value })
        }
    }
}
