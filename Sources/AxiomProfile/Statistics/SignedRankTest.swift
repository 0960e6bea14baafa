// SPDX-License-Identifier: Apache-2.0

/// Wilcoxon's signed-rank test: whether paired differences are symmetric about 0.
///
/// Differences of 0 say nothing about a direction and are dropped, as Wilcoxon did; equal magnitudes share their mean
/// rank. Up to ``SignedRankDistribution/exactLimit`` differences the p-values are exact, with ties too; above, they are
/// those of the normal distribution with the variance corrected for ties and a continuity correction of one half
/// (Hollander, Wolfe and Chicken, "Nonparametric statistical methods", 3rd edition, 3.1).
public struct SignedRankTest: Hashable, Sendable {
    /// The sum of the ranks of the positive differences.
    public let statistic: Double
    /// The number of differences that are not 0.
    public let count: Int
    /// Whether the p-values are exact.
    public let isExact: Bool
    private let greater: Double
    private let less: Double

    /// Tests the differences. Cost: n log n, and n³ where exact.
    ///
    /// - Throws: ``ProfileError`` when there are none or one is not finite.
    public init(_ differences: [Double]) throws(ProfileError) {
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

    /// The probability of such differences, or of ones that go further in the direction of `alternative`, when there is
    /// no effect; 1 when every difference is 0.
    public func pValue(_ alternative: Alternative = .twoSided) -> Double {
        alternative.pValue(greater: greater, less: less)
    }
}
