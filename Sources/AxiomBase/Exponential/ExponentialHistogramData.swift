// SPDX-License-Identifier: Apache-2.0

/// How observations are distributed over base-2 exponential buckets, as a value: what is merged, sent and asked for
/// quantiles. Recording from many threads is the business of an instrument.
///
/// - Negative observations have buckets of their own; those of a magnitude within ``zeroThreshold`` share the zero
///   bucket.
/// - NaN counts in ``count`` only, and makes the sum NaN. Infinities count in ``count`` and in an overflow bucket for
///   each sign, and make the sum infinite, or NaN when both occur.
public struct ExponentialHistogramData: Hashable, Sendable {
    /// The resolution, one of `ExponentialScale.schemas`.
    public private(set) var schema: Int
    /// The largest magnitude that counts as zero. 2^-128 unless told, as Prometheus has it.
    public private(set) var zeroThreshold: Double
    /// The observations of a magnitude up to ``zeroThreshold``.
    public private(set) var zeroCount: UInt64
    /// The buckets of positive, finite observations.
    public private(set) var positive: ExponentialBuckets
    /// The buckets of negative, finite observations, by magnitude.
    public private(set) var negative: ExponentialBuckets
    /// The observations of +Inf.
    public private(set) var positiveInfinities: UInt64
    /// The observations of -Inf.
    public private(set) var negativeInfinities: UInt64
    /// All observations.
    public private(set) var count: UInt64
    /// The sum of all observations.
    public private(set) var sum: Double

    /// The zero threshold of Prometheus' client libraries, 2^-128.
    public static let defaultZeroThreshold = 0x1p-128

    /// Takes the state of a histogram. `schema` is held to `ExponentialScale.schemas` by all who make one.
    package init(
        schema: Int,
        zeroThreshold: Double,
        zeroCount: UInt64,
        positive: ExponentialBuckets,
        negative: ExponentialBuckets,
        positiveInfinities: UInt64,
        negativeInfinities: UInt64,
        count: UInt64,
        sum: Double
    ) {
        self.schema = schema
        self.zeroThreshold = zeroThreshold
        self.zeroCount = zeroCount
        self.positive = positive
        self.negative = negative
        self.positiveInfinities = positiveInfinities
        self.negativeInfinities = negativeInfinities
        self.count = count
        self.sum = sum
    }

    /// An empty histogram; nil when `schema` is none of `ExponentialScale.schemas`, or the threshold is negative or not
    /// finite.
    public init?(schema: Int = 8, zeroThreshold: Double = Self.defaultZeroThreshold) {
        guard ExponentialScale.schemas.contains(schema), zeroThreshold >= 0, zeroThreshold.isFinite else { return nil }
        self.init(
            schema: schema,
            zeroThreshold: zeroThreshold,
            zeroCount: 0,
            positive: .none,
            negative: .none,
            positiveInfinities: 0,
            negativeInfinities: 0,
            count: 0,
            sum: 0
        )
    }

    /// An empty histogram of the finest resolution.
    package static let empty = ExponentialHistogramData(
        schema: 8,
        zeroThreshold: defaultZeroThreshold,
        zeroCount: 0,
        positive: .none,
        negative: .none,
        positiveInfinities: 0,
        negativeInfinities: 0,
        count: 0,
        sum: 0
    )

    /// Counts `value`. The number of buckets is not bounded: see ``limitBuckets(to:)``.
    public mutating func record(_ value: Double) {
        count &+= 1
        sum += value
        let magnitude = abs(value)
        if magnitude <= zeroThreshold {
            zeroCount &+= 1
        } else if magnitude == .infinity {
            if value > 0 { positiveInfinities &+= 1 } else { negativeInfinities &+= 1 }
        } else if !value.isNaN {
            let index = ExponentialScale.shared.index(of: magnitude, schema: schema)
            if value > 0 { positive.add(1, at: index) } else { negative.add(1, at: index) }
        }
    }

    /// Adds the observations of `other`. The result has the coarser schema and the wider zero bucket of the two, and is
    /// exactly what one histogram of that resolution would have recorded.
    public mutating func merge(_ other: ExponentialHistogramData) {
        var other = other
        let common = min(schema, other.schema)
        downscale(to: common)
        other.downscale(to: common)
        widenZero(to: other.zeroThreshold)
        other.widenZero(to: zeroThreshold)
        // Widening stops at the bounds of buckets, so that the second may have gone further than the first.
        widenZero(to: other.zeroThreshold)
        zeroCount &+= other.zeroCount
        positive.merge(other.positive)
        negative.merge(other.negative)
        positiveInfinities &+= other.positiveInfinities
        negativeInfinities &+= other.negativeInfinities
        count &+= other.count
        sum += other.sum
    }

    /// What ``merge(_:)`` gives.
    public func merging(_ other: ExponentialHistogramData) -> ExponentialHistogramData {
        var merged = self
        merged.merge(other)
        return merged
    }

    /// Lowers the resolution to `coarser`; does nothing when that is not lower, nor lower than is possible.
    public mutating func downscale(to coarser: Int) {
        let target = max(coarser, ExponentialScale.schemas.lowerBound)
        guard target < schema else { return }
        positive.downscale(by: schema - target)
        negative.downscale(by: schema - target)
        schema = target
    }

    /// Makes each sign have at most `limit` buckets from its first to its last: widens the zero bucket, where that need
    /// not go beyond `maximumZeroThreshold`; lowers the resolution otherwise; and where that is at its end, widens the
    /// zero bucket all the same.
    ///
    /// - Parameters:
    ///   - limit: At least 1.
    ///   - maximumZeroThreshold: How far the zero bucket may be widened to save resolution; not at all unless told.
    public mutating func limitBuckets(to limit: Int, maximumZeroThreshold: Double = 0) {
        while max(positive.counts.count, negative.counts.count) > max(limit, 1) {
            let wider = positive.counts.count >= negative.counts.count ? positive : negative
            let last = wider.indices.upperBound - max(limit, 1) - 1
            let threshold = ExponentialScale.shared.upperBound(of: last, schema: schema)
            if threshold <= maximumZeroThreshold || schema == ExponentialScale.schemas.lowerBound {
                widenZero(to: threshold)
            } else {
                downscale(to: schema - 1)
            }
        }
    }

    /// Widens the zero bucket to `threshold` at least: to the upper bound of the bucket in which that lies, when it has
    /// counted anything.
    public mutating func widenZero(to threshold: Double) {
        guard threshold > zeroThreshold, threshold.isFinite else { return }
        let scale = ExponentialScale.shared
        let last = scale.index(of: threshold, schema: schema)
        let bound = scale.upperBound(of: last, schema: schema)
        let touched = positive[last] != 0 || negative[last] != 0
        let through = touched || bound == threshold ? last : last - 1
        zeroThreshold = touched ? bound : threshold
        zeroCount &+= positive.removeAll(through: through) &+ negative.removeAll(through: through)
    }
}
