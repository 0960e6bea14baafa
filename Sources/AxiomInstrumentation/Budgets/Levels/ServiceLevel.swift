// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The share of operations within a budget, as a service level: over four windows, each with the rate at which it burns
/// the error budget of the objective.
///
/// A burn rate of 1 uses up exactly what the objective permits. The two alarms and their factors are those of the Site
/// Reliability Workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts": the long window shows that the problem is
/// significant, the short one that it continues.
public struct ServiceLevel: Sendable, Hashable {
    /// One window.
    public struct Window: Sendable, Hashable {
        /// Its length in minutes, including the current minute.
        public let minutes: Int
        /// The checks and violations in the window.
        public let counts: BudgetCounts
        /// The share of violations divided by the share that the objective permits; nil if nothing was checked.
        public let burnRate: Double?
    }

    /// The burn rate that triggers the fast alarm.
    public static let fastFactor = 14.4
    /// The burn rate that triggers the slow alarm.
    public static let slowFactor = 6.0

    /// The share that should be within the limit.
    public let objective: Double
    /// 5 minutes.
    public let fiveMinutes: Window
    /// 30 minutes.
    public let thirtyMinutes: Window
    /// 1 hour.
    public let oneHour: Window
    /// 6 hours.
    public let sixHours: Window

    init(_ ring: ServiceLevelRing, objective: Double, at time: Instant) {
        self.objective = objective
        func window(_ minutes: Int) -> Window {
            let counts = ring.counts(minutes: minutes, at: time)
            return Window(minutes: minutes, counts: counts, burnRate: counts.share.map { (1 - $0) / (1 - objective) })
        }
        fiveMinutes = window(5)
        thirtyMinutes = window(30)
        oneHour = window(60)
        sixHours = window(360)
    }

    /// Whether 1 hour and 5 minutes both burn at ``fastFactor`` or more.
    public var isBurningFast: Bool {
        Self.burns(oneHour, fiveMinutes, Self.fastFactor)
    }

    /// Whether 6 hours and 30 minutes both burn at ``slowFactor`` or more.
    public var isBurningSlowly: Bool {
        Self.burns(sixHours, thirtyMinutes, Self.slowFactor)
    }

    private static func burns(_ long: Window, _ short: Window, _ factor: Double) -> Bool {
        (long.burnRate ?? 0) >= factor && (short.burnRate ?? 0) >= factor
    }
}
