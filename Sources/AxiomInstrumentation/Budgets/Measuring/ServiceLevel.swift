// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The share of operations within a budget, as a service level: over four windows, each with the rate at which it burns
/// the error budget of the objective.
///
/// A burn rate of 1 uses up exactly what the objective permits. The windows are those of the Site Reliability Workbook,
/// chapter 5, "Multiwindow, Multi-Burn-Rate Alerts", which the alerting rules in `Dashboards` follow.
package struct ServiceLevel: Sendable, Hashable {
    package struct Window: Sendable, Hashable {
        /// Its length in minutes, including the current minute.
        package let minutes: Int
        /// The checks and violations in the window.
        package let counts: BudgetCounts
        /// The share of violations divided by the share that the objective permits; nil if nothing was checked.
        package let burnRate: Double?
    }

    package let fiveMinutes: Window
    package let thirtyMinutes: Window
    package let oneHour: Window
    package let sixHours: Window

    init(_ ring: ServiceLevelRing, objective: Double, at time: Instant) {
        func window(_ minutes: Int) -> Window {
            let counts = ring.counts(minutes: minutes, at: time)
            return Window(minutes: minutes, counts: counts, burnRate: counts.share.map { (1 - $0) / (1 - objective) })
        }
        fiveMinutes = window(5)
        thirtyMinutes = window(30)
        oneHour = window(60)
        sixHours = window(360)
    }
}

/// Checks and violations of the last six hours, in steps of one minute.
///
/// It receives totals at scrapes and reports, and assigns each increase to the step of the scrape: the exact times
/// between two scrapes are unknown. It uses at most 32 bytes for each minute since the first check, up to 5.8 kB.
struct ServiceLevelRing: Sendable {
    static let step: Duration = .seconds(60)
    static let stepCount = 360

    private var steps: RollingWindow<BudgetCounts>
    private var last = BudgetCounts()

    init(at time: Instant) {
        steps = RollingWindow(step: Self.step, capacity: Self.stepCount, empty: BudgetCounts(), at: time)
    }

    /// Records totals, which never decrease. A time before the newest step counts in the newest step.
    mutating func record(_ totals: BudgetCounts, at time: Instant) {
        steps.advance(to: time)
        guard totals != last else { return }
        // Of two concurrent scrapes the one with the earlier totals may come second.
        steps.current.checks &+= totals.checks > last.checks ? totals.checks - last.checks : 0
        steps.current.violations &+= totals.violations > last.violations ? totals.violations - last.violations : 0
        last.checks = max(last.checks, totals.checks)
        last.violations = max(last.violations, totals.violations)
    }

    /// The counts of the last `minutes` steps, 1...360, including the current one.
    func counts(minutes: Int, at time: Instant) -> BudgetCounts {
        var counts = BudgetCounts()
        steps.forEach(inLast: minutes, at: time) { step in
            counts.checks &+= step.checks
            counts.violations &+= step.violations
        }
        return counts
    }
}
