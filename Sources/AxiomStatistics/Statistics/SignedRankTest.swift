// SPDX-License-Identifier: Apache-2.0

/// Wilcoxon's signed-rank test: whether paired differences are symmetric about 0.
///
/// Differences of 0 say nothing about a direction and are dropped, as Wilcoxon did; equal magnitudes share their mean
/// rank. Up to ``SignedRankDistribution/exactLimit`` differences the p-values are exact, with ties too; above, they are
/// those of the normal distribution with the variance corrected for ties and a continuity correction of one half
/// (Hollander, Wolfe and Chicken, "Nonparametric statistical methods", 3rd edition, 3.1).
package struct SignedRankTest: Hashable, Sendable {
    /// The sum of the ranks of the positive differences.
    package let statistic: Double
    /// The number of differences that are not 0.
    package let count: Int
    /// Whether the p-values are exact.
    package let isExact: Bool
    /// The probability of such differences, or of larger ones, when there is no effect; 1 when every difference is 0.
    package let greater: Double
    /// The same of smaller differences.
    package let less: Double

    /// Tests the differences. Cost: n log n, and n³ where exact.
    ///
    /// - Throws: ``ProfileError`` if there are none or one is not finite.
    package init(_ differences: [Double]) throws(ProfileError) {
        try Check.sample(differences, "the differences")
        let moved = differences.filter { $0 != 0 }
        let ranks = Midranks(moved.map(abs))
        let doubledSum = zip(moved, ranks.doubled).reduce(0) { $0 + ($1.0 > 0 ? $1.1 : 0) }
        statistic = Double(doubledSum) / 2
        count = moved.count
        isExact = count <= SignedRankDistribution.exactLimit
        if isExact {
            let distribution = SignedRankDistribution(doubledRanks: ranks.doubled)
            (greater, less) = (distribution.upper(statistic), distribution.cumulative(statistic))
        } else {
            let normal = RankSumApproximation.signedRank(count: count, tieTerm: ranks.tieTerm)
            (greater, less) = (normal.upper(statistic), normal.cumulative(statistic))
        }
    }
}

/// The exact distribution of the sum of ranks of positive differences, when every sign is as likely as the other
/// (Wilcoxon, "Individual comparisons by ranking methods", 1945). Tied ranks are no approximation either: the
/// distribution is that of the very ranks that occurred (Streitberg and Röhmel, the shift algorithm, 1986).
package struct SignedRankDistribution: Hashable, Sendable {
    /// Up to how many differences tests and intervals use this distribution; above, the normal approximation.
    package static let exactLimit = 100

    /// The number of differences.
    package let count: Int
    /// cumulativeByDouble[s]: the probability of a doubled sum up to s.
    private let cumulativeByDouble: [Double]

    /// The distribution for differences with these ranks. Cost: n³ additions, 1 ms at n = 100.
    init(doubledRanks: [Int]) {
        count = doubledRanks.count
        var probabilities = [1.0]
        for rank in doubledRanks {
            var next = [Double](repeating: 0, count: probabilities.count + rank)
            for (sum, probability) in probabilities.enumerated() {
                next[sum] += probability / 2
                next[sum + rank] += probability / 2
            }
            probabilities = next
        }
        var total = 0.0
        cumulativeByDouble = probabilities.map { probability in
            total += probability
            return total
        }
    }

    /// The largest possible sum.
    package var maximum: Double { Double(cumulativeByDouble.count - 1) / 2 }

    /// The probability of a sum up to `sum`.
    package func cumulative(_ sum: Double) -> Double {
        guard sum >= 0 else { return sum.isNaN ? .nan : 0 }
        guard sum < maximum else { return 1 }
        return min(1, cumulativeByDouble[Int(2 * sum)])
    }

    /// The probability of `sum` or more, with all digits where it is tiny.
    package func upper(_ sum: Double) -> Double {
        // The distribution is symmetric about half of its maximum.
        cumulative(maximum - sum)
    }

    /// The largest sum whose cumulative probability is at most `alpha`, as tables list it; nil if even a sum of 0 is
    /// more likely, so that a test of this size could never reject.
    package func criticalValue(_ alpha: Double) -> Int? {
        let whole = stride(from: 0, to: cumulativeByDouble.count, by: 2)
        return whole.prefix { cumulativeByDouble[$0] <= alpha }.last.map { $0 / 2 }
    }

    /// The least number of differences with which a one-sided test can reach `alpha`: ceil(log₂(1 / alpha)).
    ///
    /// - Throws: ``ProfileError`` if alpha is not between 0 and 1.
    package static func leastCount(for alpha: Double) throws(ProfileError) -> Int {
        try Check.probability(alpha, "alpha")
        var count = 0
        var reachable = 1.0
        while reachable > alpha {
            reachable /= 2
            count += 1
        }
        return count
    }
}

/// A quantity measured in pairs of runs, once before and once after a change: how much it changed, with an interval and
/// a p-value. The pair is the unit of replication: samples of one process do not count as several.
package struct PairedComparison: Hashable, Sendable {
    /// The natural logarithms of after over before, in the order of the pairs.
    package let logRatios: [Double]
    /// The Hodges-Lehmann estimate of the ratio's logarithm, with its exact interval of confidence 1 - 2 · alpha.
    package let shift: ShiftEstimate
    /// The exact one-sided probability of such pairs if nothing got worse.
    package let pValue: Double

    /// - Parameters:
    ///   - logRatios: The natural logarithm of after over before, for each pair.
    ///   - alpha: The probability of a false alarm at each end of the interval.
    /// - Throws: ``ProfileError`` if there are too few pairs for `alpha`, so that the test could never fail, or if a
    ///   ratio is not finite.
    package init(logRatios: [Double], alpha: Double) throws(ProfileError) {
        try Check.probability(2 * alpha, "twice alpha")
        self.logRatios = logRatios
        shift = try HodgesLehmann.interval(of: logRatios, confidence: 1 - 2 * alpha)
        pValue = try SignedRankTest(logRatios).greater
    }
}

/// How small an effect a one-sided paired test can be expected to find (Cohen, "Statistical power analysis for the
/// behavioral sciences", with Student's t for both errors, as for planning sample sizes).
package enum MinimumDetectableEffect {
    /// (t(1 - alpha) + t(power)) · deviation / √count with count - 1 degrees of freedom, in the unit of the deviation.
    ///
    /// - Parameters:
    ///   - deviation: The standard deviation of the differences, at least 0.
    ///   - count: The number of differences, at least 2.
    ///   - alpha: The probability of a false alarm, one-sided.
    ///   - power: The probability of finding the effect.
    /// - Throws: ``ProfileError`` if a parameter is outside its range.
    package static func effect(
        deviation: Double,
        count: Int,
        alpha: Double = 0.01,
        power: Double = 0.8
    ) throws(ProfileError) -> Double {
        guard deviation >= 0, deviation.isFinite else {
            throw ProfileError(.invalidParameter, "the deviation is \(deviation) and must be finite and not negative")
        }
        try Check.count(count, "the number of differences", atLeast: 2)
        try Check.probability(alpha, "alpha")
        let student = try StudentDistribution(degrees: Double(count - 1))
        let reach = try student.quantile(1 - alpha) + student.quantile(power)
        return reach * deviation / Double(count).squareRoot()
    }
}
