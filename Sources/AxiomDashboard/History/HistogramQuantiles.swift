// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The quantiles of a histogram, as Prometheus' `histogram_quantile` estimates them: linear within the bucket, the lowest
/// of which begins at 0. Beyond the last bound: linear up to the largest value where that is known, else the last bound.
struct HistogramQuantiles: Sendable {
    /// One for each bucket; zeros at the end may be missing.
    let counts: [UInt64]
    /// The upper bounds of all buckets but the last.
    let bounds: [Double]
    let total: UInt64
    /// The largest value; nil when it is not known.
    private let largest: Double?

    init(_ counts: [UInt64], bounds: [Double], largest: Double? = nil) {
        self.largest = largest
        self.counts = counts
        self.bounds = bounds
        total = counts.reduce(0, &+)
    }

    /// The quantile in the unit of the bounds; nil for an empty histogram.
    func quantile(_ probability: Double) -> Double? {
        BucketQuantile(probability, counts: counts, bounds: bounds)?.interpolated(largest: largest)
    }

    /// The quantile to four digits; NaN for an empty histogram.
    func float(_ probability: Double) -> Float {
        quantile(probability).map { Float($0.significant()) } ?? .nan
    }
}

extension [UInt64] {
    /// The difference of each element and the one at the same index of `earlier`, where a missing one counts as 0.
    func subtracting(_ earlier: [UInt64]) -> [UInt64] {
        enumerated().map { $1 &- (earlier.indices.contains($0) ? earlier[$0] : 0) }
    }
}
