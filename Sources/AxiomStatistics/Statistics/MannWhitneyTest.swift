// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

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

/// Tests whether marked elements are where they are by chance: permutation tests of several statistics at once, which share
/// the random places. The same seed gives the same p-values.
///
/// A test stops when 20 random placings had at least the observed value; its p-value is then 20 divided by the number of
/// placings. That p-value is valid too (Besag and Clifford, "Sequential Monte Carlo p-values", 1991), and most tests
/// without an effect end soon.
package struct PlacementTest: Sendable {
    /// A value of the places of the marked elements, each an index below the number of elements. Large values speak against
    /// chance.
    package typealias Statistic = (_ places: ArraySlice<Int>) -> Double

    private static let enough = 20

    /// The most placings. The least p-value is 1 divided by one more.
    package let placings: Int
    package let seed: UInt64

    package init(placings: Int = 1_999, seed: UInt64 = 0) {
        (self.placings, self.seed) = (placings, seed)
    }

    /// The p-value of each statistic, in 0...1; 1 where there is none.
    ///
    /// - Parameter marked: How many elements are marked: the first ones.
    package func pValues(of marked: Int, among count: Int, _ statistics: [Statistic?]) -> [Double] {
        var (places, random) = (Array(0..<count), SeededGenerator(seed: seed))
        let observed = statistics.map { $0?(places.prefix(marked)) ?? 0 }
        var (reached, results) = (observed.map { _ in 0 }, statistics.map { $0 == nil ? 1.0 : nil })
        for number in 1...max(1, placings) where results.contains(nil) {
            for index in 0..<marked { places.swapAt(index, index + random.index(below: count - index)) }
            for (index, statistic) in statistics.enumerated() where results[index] == nil {
                // Rounding must not make equal values differ.
                let least = observed[index] - observed[index].magnitude * 1e-9
                guard let statistic, statistic(places.prefix(marked)) >= least else { continue }
                reached[index] += 1
                if reached[index] == Self.enough { results[index] = Double(Self.enough) / Double(number) }
            }
        }
        return results.indices.map { results[$0] ?? Double(reached[$0] + 1) / Double(placings + 1) }
    }
}
