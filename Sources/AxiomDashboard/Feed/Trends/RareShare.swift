// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Shares that chance does not explain.
enum RareShare {
    /// An upper bound of a share that was k of n: (k + 3√(k + 1) + 3) / n, 0...1. The true share is higher with probability
    /// 3·10⁻³ at most.
    static func highest(_ count: Double, of total: Double) -> Double {
        min(1, (count + 3 * (count + 1).squareRoot() + 3) / max(1, total))
    }

    /// Whether a share p explains k of n with probability at most 10⁻⁶: n · KL(k / n ‖ p) ≥ 13.8. That is Chernoff's bound of the
    /// binomial tail, about ten times the tail itself.
    static func isBeyond(_ count: Double, of total: Double, _ expected: Double) -> Bool {
        let share = count / max(1, total)
        guard share > expected else { return false }
        let other = share < 1 ? (1 - share) * log((1 - share) / (1 - expected)) : 0
        return total * (share * log(share / expected) + other) >= 13.8
    }
}
