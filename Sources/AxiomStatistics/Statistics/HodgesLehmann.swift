// SPDX-License-Identifier: Apache-2.0

/// The estimates of location that belong to the rank tests (Hodges and Lehmann, "Estimates of location based on rank
/// tests", 1963), and their intervals. Their ends are the shifts that the test of the same level would just not reject.
///
/// Cost: 64 passes over the sorted sample for each number, not the n² of all pairs.
package enum HodgesLehmann {
    /// The centre of paired differences (the median of their Walsh averages) with Tukey's interval from the signed-rank distribution, two-sided: each end
    /// alone holds with (1 + confidence) / 2.
    ///
    /// Exact up to ``SignedRankDistribution/exactLimit`` differences, and at least as wide as asked where magnitudes
    /// are tied; above, by the normal approximation. Zeros take part.
    ///
    /// - Throws: ``ProfileError`` if the differences are too few for the confidence, or not finite.
    package static func interval(
        of differences: [Double],
        confidence: Double
    ) throws(ProfileError) -> ShiftEstimate {
        try Check.sample(differences, "the differences")
        try Check.probability(confidence, "the confidence")
        let count = differences.count
        let bound = bound(ofSignedRanks: count, leaving: (1 - confidence) / 2)
        guard bound.left >= 0 else {
            let needed = try SignedRankDistribution.leastCount(for: (1 - confidence) / 2)
            throw ProfileError(
                .invalidSample,
                "\(count) differences give no interval of confidence \(confidence): take \(needed) or more"
            )
        }
        return estimate(PairwiseSums(walshAveragesOf: differences), bound)
    }

    /// The shift from the first sample to the second with the interval from the distribution of Mann and Whitney's U.
    ///
    /// Exact, and at least as wide as asked where values are tied, as long as the test is; by the normal approximation
    /// otherwise.
    ///
    /// - Throws: ``ProfileError`` if the samples are too small for the confidence, or not finite.
    package static func shiftInterval(
        from first: [Double],
        to second: [Double],
        confidence: Double
    ) throws(ProfileError) -> ShiftEstimate {
        try Check.sample(first, "the first sample")
        try Check.sample(second, "the second sample")
        try Check.probability(confidence, "the confidence")
        let bound = bound(ofRankSums: first.count, second.count, leaving: (1 - confidence) / 2)
        guard bound.left >= 0 else {
            throw ProfileError(
                .invalidSample,
                "samples of \(first.count) and \(second.count) give no interval of confidence \(confidence): take more"
            )
        }
        return estimate(PairwiseSums(from: first, to: second), bound)
    }

    /// How many sums an interval leaves out at each end, at most so that each has the probability `outside`, and how
    /// much probability that is in truth. Negative when not even the outermost sum may be left in.
    private typealias Bound = (left: Int, outside: Double)

    private static func bound(ofSignedRanks count: Int, leaving outside: Double) -> Bound {
        guard count <= SignedRankDistribution.exactLimit else {
            let normal = RankSumApproximation.signedRank(count: count, tieTerm: 0)
            let left = normal.criticalValue(outside)
            return (left, normal.cumulative(Double(left)))
        }
        let distribution = SignedRankDistribution(doubledRanks: (1...count).map { 2 * $0 })
        let left = distribution.criticalValue(outside) ?? -1
        return (left, distribution.cumulative(Double(left)))
    }

    private static func bound(ofRankSums first: Int, _ second: Int, leaving outside: Double) -> Bound {
        guard RankSumDistribution.isExact(first, second) else {
            let normal = RankSumApproximation.mannWhitney(first, second, tieTerm: 0)
            let left = normal.criticalValue(outside)
            return (left, normal.cumulative(Double(left)))
        }
        let distribution = RankSumDistribution(first, second)
        let left = distribution.criticalValue(outside) ?? -1
        return (left, distribution.cumulative(Double(left)))
    }

    private static func estimate(_ sums: PairwiseSums, _ bound: Bound) -> ShiftEstimate {
        ShiftEstimate(
            value: sums.median,
            lower: sums.sum(rank: bound.left + 1),
            upper: sums.sum(rank: sums.count - bound.left),
            confidence: 1 - 2 * bound.outside
        )
    }
}

/// A shift with an interval, in the unit of the sample.
package struct ShiftEstimate: Hashable, Sendable {
    package let value: Double
    /// The lower end of the interval.
    package let lower: Double
    /// The upper end of the interval.
    package let upper: Double
    /// The exact confidence of the interval, at least the requested one: exact intervals come in steps.
    package let confidence: Double

    /// Whether `shift` is in the closed interval.
    package func contains(_ shift: Double) -> Bool {
        lower <= shift && shift <= upper
    }
}

/// All sums of one number of each of two lists, in order of size, without making them: n·m sums are searched in
/// (n + m) · 64 steps.
///
/// The sums form a matrix whose rows and columns are sorted, so that one walk along its border between "up to v" and
/// "above v" counts the former (Johnson and Mizoguchi, "Selecting the kth element in X + Y", 1978). The search for v
/// halves the range of bit patterns, which are ordered as the numbers are: it ends at the very sum.
struct PairwiseSums {
    private let left: [Double]
    private let right: [Double]
    /// Whether both lists are the same and each pair is meant once, with the pairs of a number with itself.
    private let isTriangular: Bool

    /// The differences `second - first` of two samples.
    init(from first: [Double], to second: [Double]) {
        left = first.map { -$0 }.sorted()
        right = second.sorted()
        isTriangular = false
    }

    /// The Walsh averages of one sample: the means of all pairs, each number paired with itself too.
    init(walshAveragesOf values: [Double]) {
        left = values.map { $0 / 2 }.sorted()
        right = left
        isTriangular = true
    }

    /// How many sums there are.
    var count: Int { isTriangular ? left.count * (left.count + 1) / 2 : left.count * right.count }

    /// The sum of the given rank; the first has rank 1.
    func sum(rank: Int) -> Double {
        var low = Self.ordered(-Double.infinity)
        var high = Self.ordered(.infinity)
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if count(upTo: Self.number(middle)) < rank { low = middle } else { high = middle }
        }
        // Adding 0 turns -0 into 0.
        return Self.number(high) + 0
    }

    /// The middle sum; the mean of the two in the middle when their number is even.
    var median: Double {
        let upper = sum(rank: count / 2 + 1)
        return count % 2 == 1 ? upper : sum(rank: count / 2) / 2 + upper / 2
    }

    private func count(upTo limit: Double) -> Int {
        var total = 0
        var diagonal = 0
        var end = right.count
        for (row, value) in left.enumerated() {
            while end > 0, value + right[end - 1] > limit { end -= 1 }
            total += end
            if isTriangular, row < end { diagonal += 1 }
        }
        return isTriangular ? (total + diagonal) / 2 : total
    }

    private static func ordered(_ number: Double) -> UInt64 {
        let bits = number.bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    private static func number(_ ordered: UInt64) -> Double {
        Double(bitPattern: ordered >> 63 == 1 ? ordered ^ 1 << 63 : ~ordered)
    }
}
