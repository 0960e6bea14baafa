// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The beta distribution, whose cumulative function is the regularised incomplete beta function. Student's t and the
/// binomial distribution come from it.
package struct BetaDistribution: Hashable, Sendable {
    /// The first shape, above 0.
    package let alpha: Double
    /// The second shape, above 0.
    package let beta: Double

    /// - Throws: ``ProfileError`` if a shape is not positive and finite.
    package init(alpha: Double, beta: Double) throws(ProfileError) {
        guard alpha > 0, beta > 0, alpha.isFinite, beta.isFinite else {
            throw ProfileError(.invalidParameter, "the shapes \(alpha) and \(beta) must be positive and finite")
        }
        self.init(checked: alpha, beta)
    }

    init(checked alpha: Double, _ beta: Double) {
        self.alpha = alpha
        self.beta = beta
    }

    /// The probability of a value up to `value`: 0 below 0, 1 above 1.
    ///
    /// Uses the continued fraction of DLMF 8.17.22 with Lentz's method, on the side of the mean where it
    /// converges fast; its number of steps grows with the square root of the shapes.
    package func cumulative(_ value: Double) -> Double {
        guard value > 0 else { return value.isNaN ? .nan : 0 }
        guard value < 1 else { return 1 }
        return cumulative(value, complement: 1 - value)
    }

    /// The same for a value between 0 and 1 whose distance to 1 is known to more digits than the subtraction gives.
    func cumulative(_ value: Double, complement: Double) -> Double {
        guard complement > 0 else { return 1 }
        if value < (alpha + 1) / (alpha + beta + 2) { return tail(value, complement) }
        return 1 - BetaDistribution(checked: beta, alpha).tail(complement, value)
    }

    /// The value up to which the distribution has `probability`, by bisection down to neighbouring numbers.
    ///
    /// - Throws: ``ProfileError`` if the probability is not between 0 and 1.
    package func quantile(_ probability: Double) throws(ProfileError) -> Double {
        try Check.probability(probability, "the probability")
        return quantileUnchecked(probability)
    }

    func quantileUnchecked(_ probability: Double) -> Double {
        var low = 0.0.bitPattern
        var high = 1.0.bitPattern
        // Positive numbers are ordered as their bits are, so that 62 halvings find the very number.
        while high - low > 1 {
            let middle = low + (high - low) / 2
            if cumulative(Double(bitPattern: middle)) < probability { low = middle } else { high = middle }
        }
        return Double(bitPattern: high)
    }

    /// The density times `value · (1 - value)`, by Loader's saddle-point form, which keeps its digits where logarithms
    /// of gamma functions cancel ("Fast and accurate computation of binomial probabilities", 2000).
    private func front(_ value: Double, _ complement: Double) -> Double {
        let total = alpha + beta
        let exponent =
            StirlingError.of(total) - StirlingError.of(alpha) - StirlingError.of(beta)
            - Deviance.of(alpha, total * value) - Deviance.of(beta, total * complement)
        return exp(exponent) * (alpha / total * beta / (2 * .pi)).squareRoot()
    }

    private func tail(_ value: Double, _ complement: Double) -> Double {
        let tiny = 1e-300
        func away(_ number: Double) -> Double { abs(number) < tiny ? tiny : number }
        var numerator = 1.0
        var denominator = 1 / away(1 - (alpha + beta) * value / (alpha + 1))
        var fraction = denominator
        for step in 1...100_000 {
            let m = Double(step)
            let even = m * (beta - m) * value / ((alpha + 2 * m - 1) * (alpha + 2 * m))
            let odd = -(alpha + m) * (alpha + beta + m) * value / ((alpha + 2 * m) * (alpha + 2 * m + 1))
            var change = 1.0
            for term in [even, odd] {
                denominator = 1 / away(1 + term * denominator)
                numerator = away(1 + term / numerator)
                change = denominator * numerator
                fraction *= change
            }
            if abs(change - 1) < 1e-16 { break }
        }
        return front(value, complement) * fraction / alpha
    }
}

/// What Stirling's formula lacks: log Γ(x+1) - (x + 1/2) log x + x - log √(2π).
private enum StirlingError {
    /// The divisors of its asymptotic series (DLMF 5.11.1).
    private static let divisors: [Double] = [12, -360, 1_260, -1_680, 1_188, -360_360.0 / 691]

    static func of(_ value: Double) -> Double {
        if value < 16 { return lgamma(value + 1) - (value + 0.5) * log(value) + value - 0.5 * log(2 * .pi) }
        let square = value * value
        var sum = 0.0
        for divisor in divisors.reversed() { sum = sum / square + 1 / divisor }
        return sum / value
    }
}

/// The deviance x log(x / expected) + expected - x, without cancellation where both are near each other.
private enum Deviance {
    static func of(_ value: Double, _ expected: Double) -> Double {
        let difference = value - expected
        guard abs(difference) < 0.1 * (value + expected) else {
            return value * log(value / expected) + expected - value
        }
        let ratio = difference / (value + expected)
        var sum = difference * ratio
        var term = 2 * value * ratio
        for step in 1...1_000 {
            term *= ratio * ratio
            let next = sum + term / Double(2 * step + 1)
            if next == sum { break }
            sum = next
        }
        return sum
    }
}
