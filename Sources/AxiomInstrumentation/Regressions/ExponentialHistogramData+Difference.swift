// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension ExponentialHistogramData {
    /// The observations since `earlier`, an earlier reading of the same histogram. Exact except for the rounding of the
    /// sum. If the histogram has lowered its resolution since, the result has the lower resolution too.
    func since(_ earlier: ExponentialHistogramData) -> ExponentialHistogramData {
        var earlier = earlier
        earlier.downscale(to: schema)
        earlier.widenZero(to: zeroThreshold)
        return ExponentialHistogramData(
            schema: schema,
            zeroThreshold: zeroThreshold,
            zeroCount: zeroCount &- earlier.zeroCount,
            positive: positive.since(earlier.positive),
            negative: negative.since(earlier.negative),
            positiveInfinities: positiveInfinities &- earlier.positiveInfinities,
            negativeInfinities: negativeInfinities &- earlier.negativeInfinities,
            count: count &- earlier.count,
            sum: sum - earlier.sum
        )
    }
}

extension ExponentialBuckets {
    fileprivate func since(_ earlier: ExponentialBuckets) -> ExponentialBuckets {
        ExponentialBuckets(offset: offset, counts: indices.map { self[$0] &- earlier[$0] })
    }
}
