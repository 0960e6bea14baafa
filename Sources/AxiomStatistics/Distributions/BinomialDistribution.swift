// SPDX-License-Identifier: Apache-2.0

/// How many of a number of independent trials succeed.
package struct BinomialDistribution: Hashable, Sendable {
    /// The number of trials, at least 1.
    package let trials: Int
    /// The probability with which each succeeds, between 0 and 1.
    package let probability: Double

    /// - Throws: ``ProfileError`` if there is no trial or the probability is not between 0 and 1.
    package init(trials: Int, probability: Double) throws(ProfileError) {
        try Check.count(trials, "the number of trials", atLeast: 1)
        try Check.probability(probability, "the probability of success")
        self.trials = trials
        self.probability = probability
    }

    /// The probability of at most `successes` (DLMF 8.17.5).
    package func cumulative(_ successes: Int) -> Double {
        guard successes >= 0 else { return 0 }
        guard successes < trials else { return 1 }
        return BetaDistribution(checked: Double(trials - successes), Double(successes + 1)).cumulative(1 - probability)
    }

    /// The probability of more than `successes`, with all digits where it is tiny.
    package func upper(_ successes: Int) -> Double {
        guard successes >= 0 else { return 1 }
        guard successes < trials else { return 0 }
        return BetaDistribution(checked: Double(successes + 1), Double(trials - successes)).cumulative(probability)
    }

    /// The least number of successes whose cumulative probability is at least `level`. Cost: log₂(trials) evaluations.
    ///
    /// - Throws: ``ProfileError`` if the level is not between 0 and 1.
    package func quantile(_ level: Double) throws(ProfileError) -> Int {
        try Check.probability(level, "the level")
        var low = -1
        var high = trials
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if cumulative(middle) < level { low = middle } else { high = middle }
        }
        return high
    }

    /// The exact bounds on a probability of which `successes` in `trials` were seen (Clopper and Pearson, "The use of
    /// confidence or fiducial limits", Biometrika 26, 1934). Each bound alone holds with `level`; both together hold
    /// with 2 · level - 1.
    ///
    /// - Parameter level: The confidence of each bound, such as 0.95.
    /// - Throws: ``ProfileError`` if the numbers do not fit or the level is not between 0 and 1.
    package static func clopperPearson(
        successes: Int,
        trials: Int,
        level: Double = 0.95
    ) throws(ProfileError) -> ClosedRange<Double> {
        try Check.count(trials, "the number of trials", atLeast: 1)
        try Check.probability(level, "the level")
        guard (0...trials).contains(successes) else {
            throw ProfileError(.invalidParameter, "\(successes) successes in \(trials) trials cannot be")
        }
        let (seen, rest) = (Double(successes), Double(trials - successes))
        let lower = successes == 0 ? 0 : BetaDistribution(checked: seen, rest + 1).quantileUnchecked(1 - level)
        let upper = successes == trials ? 1 : BetaDistribution(checked: seen + 1, rest).quantileUnchecked(level)
        return lower...max(lower, upper)
    }
}
