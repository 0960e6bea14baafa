// SPDX-License-Identifier: Apache-2.0

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

    package init() {}

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
