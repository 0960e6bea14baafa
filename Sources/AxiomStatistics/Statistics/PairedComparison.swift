// SPDX-License-Identifier: Apache-2.0

/// A quantity measured in pairs of runs, once before and once after a change: how much it changed, with an interval and
/// a p-value. The pair is the unit of replication: samples of one process do not count as several.
package struct PairedComparison: Hashable, Sendable {
    /// The natural logarithms of after over before, in the order of the pairs.
    package let logRatios: [Double]
    /// The Hodges-Lehmann estimate of the ratio's logarithm, with its exact interval of confidence 1 - 2 · alpha.
    package let shift: ShiftEstimate
    /// The exact one-sided probability of such pairs if nothing got worse.
    package let pValue: Double

    /// Compares the pairs.
    ///
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
