// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The share of operations within a budget, as a service level: over four windows, with the rates at which they burn
/// what the objective leaves.
///
/// A burn rate of 1 uses up exactly what the objective allows. The two alarms and their factors are those of the Site
/// Reliability Workbook, chapter 5, "Multiwindow, Multi-Burn-Rate Alerts": the long window says that it matters, the
/// short one that it still goes on.
public struct ServiceLevel: Sendable, Hashable {
    /// One window.
    public struct Window: Sendable, Hashable {
        /// Its length in minutes; the minute that runs is one of them.
        public let minutes: Int
        /// What was checked in it.
        public let counts: BudgetCounts
        /// The share beyond the limit over the share that the objective allows; nil when nothing was checked.
        public let burnRate: Double?
    }

    /// The burn rate that sets off the fast alarm.
    public static let fastFactor = 14.4
    /// The burn rate that sets off the slow alarm.
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
