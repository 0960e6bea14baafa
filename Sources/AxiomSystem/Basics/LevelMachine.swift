// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The values at which a level begins. A larger value is worse.
struct LevelThresholds: Hashable, Sendable {
    /// From here on the level is at least ``PressureLevel/warning``.
    var warning: Double
    /// From here on the level is ``PressureLevel/critical``.
    var critical: Double
    /// How far a value must fall below a threshold to end its level.
    var hysteresis: Double

    /// Whether `value` is at the threshold, or above the point at which a level that was reached ends.
    static func holds(_ value: Double, at threshold: Double, hysteresis: Double, wasReached: Bool) -> Bool {
        value >= threshold || (wasReached && value > threshold - hysteresis)
    }

    /// The level of `value` after `previous`. A value that is not a number changes nothing.
    func level(of value: Double, after previous: PressureLevel) -> PressureLevel {
        guard !value.isNaN else { return previous }
        if Self.holds(value, at: critical, hysteresis: hysteresis, wasReached: previous == .critical) {
            return .critical
        }
        if Self.holds(value, at: warning, hysteresis: hysteresis, wasReached: previous >= .warning) {
            return .warning
        }
        return .none
    }
}
