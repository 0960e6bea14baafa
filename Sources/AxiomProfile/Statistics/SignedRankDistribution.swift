// SPDX-License-Identifier: Apache-2.0

/// The exact distribution of the sum of ranks of positive differences, when every sign is as likely as the other
/// (Wilcoxon, "Individual comparisons by ranking methods", 1945). Tied ranks are no approximation either: the
/// distribution is that of the very ranks that occurred (Streitberg and Röhmel, the shift algorithm, 1986).
public struct SignedRankDistribution: Hashable, Sendable {
    /// Up to how many differences tests and intervals use this distribution; above, the normal approximation.
    public static let exactLimit = 100

    /// The number of differences.
    public let count: Int
    /// cumulativeByDouble[s]: the probability of a doubled sum up to s.
    private let cumulativeByDouble: [Double]

    /// The distribution for `count` differences without ties. Cost: n³ additions, 1 ms at n = 100.
    ///
    /// - Parameter count: 1 to ``exactLimit``.
    /// - Throws: ``ProfileError`` when it is outside.
    public init(count: Int) throws(ProfileError) {
        guard (1...Self.exactLimit).contains(count) else {
            throw ProfileError(
                .invalidParameter,
                "the exact signed-rank distribution is for 1 to \(Self.exactLimit) differences, not for \(count)"
            )
        }
        self.init(doubledRanks: (1...count).map { 2 * $0 })
    }

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
    public var maximum: Double { Double(cumulativeByDouble.count - 1) / 2 }

    /// The probability of a sum up to `sum`.
    public func cumulative(_ sum: Double) -> Double {
        guard sum >= 0 else { return sum.isNaN ? .nan : 0 }
        guard sum < maximum else { return 1 }
        return min(1, cumulativeByDouble[Int(2 * sum)])
    }

    /// The probability of `sum` or more, with all digits where it is tiny.
    public func upper(_ sum: Double) -> Double {
        // The distribution is symmetric about half of its maximum.
        cumulative(maximum - sum)
    }

    /// The largest sum whose cumulative probability is at most `alpha`, as tables list it; nil when even a sum of 0 is
    /// more likely, so that a test of this size could never reject.
    public func criticalValue(_ alpha: Double) -> Int? {
        let whole = stride(from: 0, to: cumulativeByDouble.count, by: 2)
        return whole.prefix { cumulativeByDouble[$0] <= alpha }.last.map { $0 / 2 }
    }

    /// The least number of differences with which a one-sided test can reach `alpha`: ceil(log₂(1 / alpha)).
    ///
    /// - Throws: ``ProfileError`` when alpha is not between 0 and 1.
    public static func leastCount(for alpha: Double) throws(ProfileError) -> Int {
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
