// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Whether something is unusual. It is after two judgements in a row, until a minute has passed without a sign of it. What
/// has lasted for an hour is usual.
package struct TrendAlarm: Sendable, Hashable {
    private static let patience = 60.0
    private static let memory = 3_600.0

    /// When it was first suspected, in seconds; nil while nothing is unusual.
    package private(set) var since: Double?
    private var suspected: Double?
    private var seen = 0.0

    /// Whether nothing is unusual or suspected.
    var isQuiet: Bool { since == nil && suspected == nil }

    /// - Parameters:
    ///   - begins: Whether there is evidence.
    ///   - lasts: Whether there is enough of it for what was already found. Implied by `begins`.
    mutating func judge(at now: Double, begins: Bool, lasts: Bool) {
        if let since {
            if lasts { seen = now }
            if now - seen >= Self.patience || now - since >= Self.memory { self = TrendAlarm() }
        } else {
            if begins { (since, seen) = (suspected, now) }
            suspected = begins ? now : nil
        }
    }
}

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
