// SPDX-License-Identifier: Apache-2.0

/// The ranks of values, where equal ones share the mean of their ranks; doubled, so that they are whole numbers.
package struct Midranks {
    /// Twice the rank of each value, in the order of the values.
    package let doubled: [Int]
    /// The sum of t³ - t over the groups of t equal values.
    let tieTerm: Double

    /// Ranks the values. Cost: a sort.
    package init(_ values: [Double]) {
        let order = values.indices.sorted { values[$0] < values[$1] }
        var doubled = [Int](repeating: 0, count: values.count)
        var tieTerm = 0.0
        var first = 0
        while first < order.count {
            var end = first + 1
            while end < order.count, values[order[end]] == values[order[first]] { end += 1 }
            for position in first..<end { doubled[order[position]] = first + 1 + end }
            let size = Double(end - first)
            tieTerm += size * size * size - size
            first = end
        }
        self.doubled = doubled
        self.tieTerm = tieTerm
    }
}

/// The normal approximation of a sum of ranks, with a continuity correction of one half.
struct RankSumApproximation {
    let mean: Double
    let deviation: Double

    /// The sum of the ranks of positive differences.
    static func signedRank(count: Int, tieTerm: Double) -> RankSumApproximation {
        let n = Double(count)
        let variance = n * (n + 1) * (2 * n + 1) / 24 - tieTerm / 48
        return RankSumApproximation(mean: n * (n + 1) / 4, deviation: variance.squareRoot())
    }

    /// Mann and Whitney's U.
    static func mannWhitney(_ first: Int, _ second: Int, tieTerm: Double) -> RankSumApproximation {
        let (m, n) = (Double(first), Double(second))
        let total = m + n
        let variance = m * n / 12 * (total + 1 - tieTerm / (total * (total - 1)))
        return RankSumApproximation(mean: m * n / 2, deviation: max(0, variance).squareRoot())
    }

    /// The probability of a sum up to `sum`; 1 when nothing varies.
    func cumulative(_ sum: Double) -> Double {
        deviation > 0 ? NormalDistribution.cumulative((sum + 0.5 - mean) / deviation) : 1
    }

    /// The probability of `sum` or more.
    func upper(_ sum: Double) -> Double {
        deviation > 0 ? NormalDistribution.cumulative((mean - sum + 0.5) / deviation) : 1
    }

    /// The largest whole sum whose cumulative probability is at most `alpha`; negative when there is none.
    func criticalValue(_ alpha: Double) -> Int {
        Int((mean - 0.5 + deviation * NormalDistribution.quantileUnchecked(alpha)).rounded(.down))
    }
}
