// SPDX-License-Identifier: Apache-2.0

/// Mann and Whitney's test: whether values of the second of two independent samples tend to be larger ("On a test of
/// whether one of two random variables is stochastically larger than the other", 1947).
///
/// Up to 60 values together the p-values are exact, with ties too; above, they are those of the normal distribution
/// with the variance corrected for ties and a continuity correction of one half.
public struct MannWhitneyTest: Hashable, Sendable {
    /// U: in how many pairs the second sample's value is the larger, equal ones counted half.
    public let statistic: Double
    /// U over the number of pairs: 0.5 when neither sample is larger, 1 when the second is in every pair.
    public let superiority: Double
    /// Whether the p-values are exact.
    public let isExact: Bool
    private let greater: Double
    private let less: Double

    /// Compares the second sample with the first. Cost: a sort, and n⁴ additions where exact (2 ms at 30 and 30).
    ///
    /// - Throws: ``ProfileError`` when a sample is empty or not finite.
    public init(_ first: [Double], _ second: [Double]) throws(ProfileError) {
        try Check.sample(first, "the first sample")
        try Check.sample(second, "the second sample")
        let ranks = Midranks(first + second)
        let (m, n) = (first.count, second.count)
        let pairs = Double(m * n)
        statistic = Double(ranks.doubled[m...].reduce(0, +) - n * (n + 1)) / 2
        superiority = statistic / pairs
        isExact = RankSumDistribution.isExact(m, n)
        if isExact {
            // Counting choices of the smaller sample is cheaper; its U is the number of pairs less the other's.
            let ofSecond = n <= m
            let distribution = RankSumDistribution(doubledRanks: ranks.doubled, chosen: min(m, n))
            let reversed = RankSumDistribution(
                doubledRanks: ranks.doubled.map { 2 * (m + n + 1) - $0 },
                chosen: min(m, n)
            )
            less = (ofSecond ? distribution : reversed).cumulative(statistic)
            greater = (ofSecond ? reversed : distribution).cumulative(pairs - statistic)
        } else {
            let normal = RankSumApproximation.mannWhitney(m, n, tieTerm: ranks.tieTerm)
            (greater, less) = (normal.upper(statistic), normal.cumulative(statistic))
        }
    }

    /// The probability of such samples, or of ones that go further in the direction of `alternative`, when both come
    /// from one distribution. `greater` asks whether the second sample is larger.
    public func pValue(_ alternative: Alternative = .twoSided) -> Double {
        alternative.pValue(greater: greater, less: less)
    }
}
