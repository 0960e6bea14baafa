// SPDX-License-Identifier: Apache-2.0

/// How small an effect a one-sided paired test can be expected to find (Cohen, "Statistical power analysis for the
/// behavioral sciences", with Student's t for both errors, as for planning sample sizes).
public enum MinimumDetectableEffect {
    /// (t(1 - alpha) + t(power)) · deviation / √count with count - 1 degrees of freedom, in the unit of the deviation.
    ///
    /// - Parameters:
    ///   - deviation: The standard deviation of the differences, at least 0.
    ///   - count: The number of differences, at least 2.
    ///   - alpha: The probability of a false alarm, one-sided.
    ///   - power: The probability of finding the effect.
    /// - Throws: ``ProfileError`` when a parameter is outside its range.
    public static func effect(
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

    /// The least number of differences with which ``effect(deviation:count:alpha:power:)`` is at most `effect`; nil
    /// when `limit` are not enough.
    ///
    /// - Throws: ``ProfileError`` when a parameter is outside its range.
    public static func count(
        for effect: Double,
        deviation: Double,
        alpha: Double = 0.01,
        power: Double = 0.8,
        limit: Int = 10_000
    ) throws(ProfileError) -> Int? {
        guard effect > 0 else {
            throw ProfileError(.invalidParameter, "the effect is \(effect) and must be positive")
        }
        var low = 1
        var high = limit + 1
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let found = try Self.effect(deviation: deviation, count: middle, alpha: alpha, power: power)
            if found > effect { low = middle } else { high = middle }
        }
        return high > limit ? nil : high
    }
}
