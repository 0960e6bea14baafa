// SPDX-License-Identifier: Apache-2.0

/// The children of a family in page order, and their labels, which snapshots share.
struct SortedChildren: Sendable {
    let children: [Instrument]
    let series: SeriesList

    /// - Parameter constants: The labels that every series of the registry has on its pages.
    init(_ unsorted: [Instrument], _ constants: LabelSet) {
        // A common prefix does not change the order.
        children = Self.sorted(unsorted)
        let labels = constants.isEmpty ? children.map(\.labels) : children.map { constants.appending($0.labels) }
        series = SeriesList(labels, created: children.map(\.created))
    }

    /// The children in the order of their labels. Most comparisons are those of two words, the first bytes in which any
    /// labels differ: the labels lie everywhere in memory, and a million of them do not fit the processor's caches.
    private static func sorted(_ children: [Instrument]) -> [Instrument] {
        guard let first = children.first?.labels.rendered else { return [] }
        var shared = first.count
        for child in children {
            let (labels, end) = (child.labels.rendered, min(shared, child.labels.rendered.count))
            shared = (0..<end).first { first[$0] != labels[$0] } ?? end
        }
        return children.indices.map { (key: children[$0].labels.word(from: shared), index: $0) }
            .sorted { left, right in
                left.key == right.key
                    ? children[left.index].labels < children[right.index].labels : left.key < right.key
            }
            .map { children[$0.index] }
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
