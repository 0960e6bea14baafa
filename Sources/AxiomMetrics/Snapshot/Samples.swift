// SPDX-License-Identifier: Apache-2.0

internal import Synchronization

/// The values of a family's series, in columns: one allocation for a family, none for a series.
enum Samples: Sendable {
    case integers([UInt64])
    case numbers([Double])
    case histograms(HistogramSamples)
}

/// The values of a family of histograms.
struct HistogramSamples: Sendable {
    /// The number of buckets of each series, with the `+Inf` bucket.
    let buckets: Int
    /// The buckets of all series, one series after the other; not cumulative.
    let counts: [UInt64]
    /// The sum of each series.
    let sums: [Double]

    /// Reads histograms that have the given number of buckets each.
    init(_ children: [Instrument], buckets: Int) {
        self.buckets = buckets
        var sums: [Double] = []
        sums.reserveCapacity(children.count)
        counts = [UInt64](unsafeUninitializedCapacity: children.count * buckets) { counts, count in
            for child in children {
                // All children of a family of histograms are histograms, made with the family's bounds.
                let histogram = unsafeDowncast(child, to: Histogram.self)
                histogram.foldNanoseconds()
                for bucket in 0..<buckets {
                    counts.initializeElement(at: count, to: histogram.counts[bucket].load(ordering: .relaxed))
                    count += 1
                }
                sums.append(histogram.sum)
            }
        }
        self.sums = sums
    }
}
