// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import AxiomBase

@Suite("Quantiles of classic buckets")
struct BucketQuantileTests {
    @Test("A quantile is interpolated within its bucket, as Prometheus does it")
    func interpolation() throws {
        let bounds = [1.0, 2, 4]
        let counts: [UInt64] = [2, 2, 4, 0]
        #expect(try #require(BucketQuantile(0.25, counts: counts, bounds: bounds)).interpolated() == 1)
        #expect(try #require(BucketQuantile(0.375, counts: counts, bounds: bounds)).interpolated() == 1.5)
        let median = try #require(BucketQuantile(0.5, counts: counts, bounds: bounds))
        #expect(median.lowerBound == 1 && median.upperBound == 2 && median.fraction == 1)
        #expect(try #require(BucketQuantile(1, counts: counts, bounds: bounds)).interpolated() == 4)
    }

    @Test("The first bucket starts at 0, or at its bound if that is negative")
    func firstBucket() throws {
        let half = try #require(BucketQuantile(0.5, counts: [2, 0, 0], bounds: [3, 4]))
        #expect(half.lowerBound == 0 && half.interpolated() == 1.5)
        let negative = try #require(BucketQuantile(0.5, counts: [2, 0, 0], bounds: [-3, 4]))
        #expect(negative.interpolated() == -3)
    }

    @Test("A quantile in the +Inf bucket is the last bound, or lies between that and the largest value")
    func beyond() throws {
        let found = try #require(BucketQuantile(0.75, counts: [2, 0, 2], bounds: [1, 2]))
        #expect(found.upperBound == nil && found.lowerBound == 2 && found.fraction == 0.5)
        #expect(found.interpolated() == 2)
        #expect(found.interpolated(largest: 4) == 3)
        #expect(found.interpolated(largest: 1) == 2)
    }

    @Test("Without observations or bounds there is no quantile, and empty buckets are skipped")
    func nothing() throws {
        #expect(BucketQuantile(0.5, counts: [0, 0], bounds: [1]) == nil)
        #expect(BucketQuantile(0.5, counts: [], bounds: [1]) == nil)
        #expect(BucketQuantile(0.5, counts: [3], bounds: []) == nil)
        #expect(try #require(BucketQuantile(0, counts: [0, 5, 0], bounds: [1, 2])).lowerBound == 1)
    }

    @Test("Each quantile lies in the bucket of the observation of its rank", arguments: 0..<20)
    func ranks(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let bounds = (1...8).map(Double.init)
        let counts = (0..<9).map { _ in UInt64.random(in: 0...5, using: &random) }
        let buckets = counts.enumerated().flatMap { [Int](repeating: $0.offset, count: Int($0.element)) }
        guard !buckets.isEmpty else { return }
        for percent in 0...100 {
            let quantile = Double(percent) / 100
            let rank = max(1, Int((quantile * Double(buckets.count)).rounded(.up)))
            let bucket = buckets[rank - 1]
            let found = try #require(BucketQuantile(quantile, counts: counts, bounds: bounds))
            let expected = bucket < bounds.count ? bounds[bucket] : nil
            #expect(found.upperBound == expected, "seed \(seed), quantile \(quantile) of \(counts)")
        }
    }
}
