// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Checks and violations of the last six hours, in steps of one minute.
///
/// It receives totals at scrapes and reports, and assigns each increase to the step of the scrape: the exact times
/// between two scrapes are unknown. It uses 5.8 kB after the first check, nothing before.
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
