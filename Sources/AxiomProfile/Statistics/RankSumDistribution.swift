// SPDX-License-Identifier: Apache-2.0

/// The exact distribution of Mann and Whitney's U when every choice of who is in which sample is as likely as the
/// others, for the very ranks that occurred, so with ties too (Streitberg and Röhmel, 1986).
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

    /// The largest U whose cumulative probability is at most `alpha`; nil when there is none. Without ties.
    func criticalValue(_ alpha: Double) -> Int? {
        let whole = stride(from: 0, to: cumulativeByDouble.count, by: 2)
        return whole.prefix { cumulativeByDouble[$0] <= alpha }.last.map { $0 / 2 }
    }
}
