// SPDX-License-Identifier: Apache-2.0

/// Mann and Whitney's test: whether values of the second of two independent samples tend to be larger ("On a test of
/// whether one of two random variables is stochastically larger than the other", 1947).
///
/// Up to 60 values together the p-values are exact, with ties too; above, they are those of the normal distribution
/// with the variance corrected for ties and a continuity correction of one half.
package struct MannWhitneyTest: Hashable, Sendable {
    /// U: in how many pairs the second sample's value is the larger, equal ones counted half.
    package let statistic: Double
    /// Whether the p-values are exact.
    package let isExact: Bool
    /// The probability of such samples, or of ones in which the second is larger still, when both come from one distribution.
    package let pValue: Double

    /// Compares the second sample with the first. Cost: a sort, and n⁴ additions where exact (2 ms at 30 and 30).
    ///
    /// - Throws: ``ProfileError`` if a sample is empty or not finite.
    package init(_ first: [Double], _ second: [Double]) throws(ProfileError) {
        try Check.sample(first, "the first sample")
        try Check.sample(second, "the second sample")
        let ranks = Midranks(first + second)
        let (m, n) = (first.count, second.count)
        let pairs = Double(m * n)
        statistic = Double(ranks.doubled[m...].reduce(0, +) - n * (n + 1)) / 2
        isExact = RankSumDistribution.isExact(m, n)
        if isExact {
            // Counting choices of the smaller sample is cheaper; its U is the number of pairs less the other's.
            let counted = n <= m ? ranks.doubled.map { 2 * (m + n + 1) - $0 } : ranks.doubled
            pValue = RankSumDistribution(doubledRanks: counted, chosen: min(m, n)).cumulative(pairs - statistic)
        } else {
            pValue = RankSumApproximation.mannWhitney(m, n, tieTerm: ranks.tieTerm).upper(statistic)
        }
    }
}

/// The exact distribution of Mann and Whitney's U if all assignments of the values to the samples are equally likely, for the very ranks that occurred, so with ties too (Streitberg and Röhmel, 1986).
struct RankSumDistribution {
    /// cumulativeByDouble[s]: the probability of a doubled U up to s.
    private let cumulativeByDouble: [Double]

    /// Up to 60 values together: beyond, the counting costs more than the approximation errs.
    static func isExact(_ first: Int, _ second: Int) -> Bool {
        first + second <= 60
    }

    /// The distribution without ties.
    init(_ first: Int, _ second: Int) {
        self.init(doubledRanks: (1...(first + second)).map { 2 * $0 }, chosen: second)
    }

    /// The distribution of U of `chosen` values among those of the given ranks.
    init(doubledRanks: [Int], chosen: Int) {
        let largest = doubledRanks.sorted().suffix(chosen).reduce(0, +)
        // ways[k][s]: the choices of k ranks whose doubled sum is s. Below 2^60, so nearly exact in a Double.
        var ways = [[Double]](repeating: [Double](repeating: 0, count: largest + 1), count: chosen + 1)
        ways[0][0] = 1
        for rank in doubledRanks {
            for size in stride(from: chosen, to: 0, by: -1) where rank <= largest {
                for sum in rank...largest { ways[size][sum] += ways[size - 1][sum - rank] }
            }
        }
        let least = chosen * (chosen + 1)
        let all = ways[chosen].reduce(0, +)
        var total = 0.0
        cumulativeByDouble = ways[chosen].dropFirst(min(least, largest)).map { count in
            total += count
            return total / all
        }
    }

    /// The probability of a U up to `statistic`.
    func cumulative(_ statistic: Double) -> Double {
        guard statistic >= 0 else { return 0 }
        let position = Int(2 * statistic)
        return position < cumulativeByDouble.count ? min(1, cumulativeByDouble[position]) : 1
    }

    /// The largest U whose cumulative probability is at most `alpha`; nil if there is none. Without ties.
    func criticalValue(_ alpha: Double) -> Int? {
        let whole = stride(from: 0, to: cumulativeByDouble.count, by: 2)
        return whole.prefix { cumulativeByDouble[$0] <= alpha }.last.map { $0 / 2 }
    }
}
