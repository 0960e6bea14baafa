// SPDX-License-Identifier: Apache-2.0

/// Student's t distribution.
package struct StudentDistribution: Hashable, Sendable {
    /// The degrees of freedom, above 0; need not be whole.
    package let degrees: Double

    /// - Throws: ``ProfileError`` if the number of degrees of freedom is not positive and finite.
    package init(degrees: Double) throws(ProfileError) {
        guard degrees > 0, degrees.isFinite else {
            throw ProfileError(.invalidParameter, "\(degrees) degrees of freedom: must be positive and finite")
        }
        self.degrees = degrees
    }

    /// The probability of a value up to `value`: half an incomplete beta function (DLMF 8.17, Abramowitz and Stegun
    /// 26.7.1).
    package func cumulative(_ value: Double) -> Double {
        guard !value.isNaN else { return .nan }
        guard value.isFinite else { return value < 0 ? 0 : 1 }
        let half = 0.5 * beyond(value * value)
        return value < 0 ? half : 1 - half
    }

    /// The probability of a value above `value`, with all digits in the far tail.
    package func upper(_ value: Double) -> Double {
        cumulative(-value)
    }

    /// The value up to which the distribution has `probability`.
    ///
    /// - Throws: ``ProfileError`` if the probability is not between 0 and 1.
    package func quantile(_ probability: Double) throws(ProfileError) -> Double {
        try Check.probability(probability, "the probability")
        if probability == 0.5 { return 0 }
        let lower = probability < 0.5
        // 1 - probability is exact above one half.
        let outside = 2 * (lower ? probability : 1 - probability)
        let size = distance(leaving: outside)
        return lower ? -size : size
    }

    /// The probability of a square above `square`.
    private func beyond(_ square: Double) -> Double {
        let whole = degrees + square
        guard whole.isFinite else { return 0 }
        return BetaDistribution(checked: degrees / 2, 0.5).cumulative(degrees / whole, complement: square / whole)
    }

    /// The magnitude beyond which `outside` lies in both tails together, by bisection down to neighbouring numbers.
    private func distance(leaving outside: Double) -> Double {
        var low = 0.0.bitPattern
        var high = Double.greatestFiniteMagnitude.squareRoot().bitPattern
        while high - low > 1 {
            let middle = low + (high - low) / 2
            let value = Double(bitPattern: middle)
            if beyond(value * value) > outside { low = middle } else { high = middle }
        }
        return Double(bitPattern: high)
    }
}
