// SPDX-License-Identifier: Apache-2.0

/// The bucket of a classic histogram that contains a quantile, and the quantile's position in it.
///
/// The rank of the quantile is `quantile · n` among the n observations in ascending order. For exponential buckets see
/// ``ExponentialHistogramData/quantile(_:)``.
package struct BucketQuantile: Hashable, Sendable {
    /// The lower bound of the bucket. For the first bucket it is 0, or the upper bound if that is negative.
    package let lowerBound: Double
    /// The inclusive upper bound; nil for the `+Inf` bucket.
    package let upperBound: Double?
    /// The share of the bucket's observations that are within the rank, 0 to 1.
    package let fraction: Double

    /// Finds the bucket of a quantile; nil if nothing was observed or there are no bounds.
    ///
    /// - Parameters:
    ///   - quantile: 0 to 1.
    ///   - counts: The observations of each bucket, not cumulative. Counts without a bound belong to the `+Inf` bucket.
    ///   - bounds: The upper bounds in ascending order, without `+Inf`.
    package init?(_ quantile: Double, counts: [UInt64], bounds: [Double]) {
        guard let last = bounds.last else { return nil }
        let total = counts.reduce(0, &+)
        guard total > 0 else { return nil }
        let rank = quantile * Double(total)
        var below = 0.0
        for (index, (bound, count)) in zip(bounds, counts).enumerated() {
            let inside = Double(count)
            if inside > 0, below + inside >= rank {
                lowerBound = index == 0 ? min(0, bound) : bounds[index - 1]
                upperBound = bound
                fraction = (rank - below) / inside
                return
            }
            below += inside
        }
        lowerBound = last
        upperBound = nil
        let beyond = Double(total) - below
        fraction = beyond > 0 ? min(1, (rank - below) / beyond) : 1
    }

    /// The quantile as Prometheus' `histogram_quantile` estimates it, by linear interpolation within the bucket. In the
    /// `+Inf` bucket the interpolation goes up to `largest`; without it the result is the last bound.
    ///
    /// - Parameter largest: The largest observation, if it is known.
    package func interpolated(largest: Double? = nil) -> Double {
        if let upperBound { return lowerBound + (upperBound - lowerBound) * fraction }
        guard let largest, largest > lowerBound else { return lowerBound }
        return lowerBound + (largest - lowerBound) * fraction
    }
}
