// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Checks and violations of the last six hours, in steps of one minute.
///
/// It is given totals, at scrapes and reports, and keeps what came since the last time in the step in which they were
/// given: between two scrapes it knows no better. 5.8 kB once something was checked, nothing before.
struct ServiceLevelRing: Sendable {
    static let step: Duration = .seconds(60)
    static let stepCount = 360

    private struct Step {
        var checks: UInt64 = 0
        var violations: UInt64 = 0
    }

    /// By the number of the step modulo `stepCount`; valid for the steps up to `newest`. Empty until there is anything.
    private var steps: [Step] = []
    /// The number of the latest step in `steps`.
    private var newest: Int64
    private var last = BudgetCounts()

    init(at time: Instant) {
        newest = Self.number(time)
    }

    /// Takes note of totals, which never fall. Times that go back count in the latest step.
    mutating func record(_ totals: BudgetCounts, at time: Instant) {
        advance(to: Self.number(time))
        guard totals != last else { return }
        if steps.isEmpty { steps = [Step](repeating: Step(), count: Self.stepCount) }
        let place = Self.place(newest)
        // Two scrapes may overlap, so that the totals of the earlier one come second.
        steps[place].checks &+= totals.checks > last.checks ? totals.checks - last.checks : 0
        steps[place].violations &+= totals.violations > last.violations ? totals.violations - last.violations : 0
        last.checks = max(last.checks, totals.checks)
        last.violations = max(last.violations, totals.violations)
    }

    /// What came in the step that runs and in those before it, `minutes` in all, 1...360.
    func counts(minutes: Int, at time: Instant) -> BudgetCounts {
        guard !steps.isEmpty else { return BudgetCounts() }
        let current = max(Self.number(time), newest)
        let oldest = max(current - Int64(min(Self.stepCount, max(1, minutes))), newest - Int64(Self.stepCount)) + 1
        var counts = BudgetCounts()
        guard oldest <= newest else { return counts }
        for number in oldest...newest {
            counts.checks &+= steps[Self.place(number)].checks
            counts.violations &+= steps[Self.place(number)].violations
        }
        return counts
    }

    private mutating func advance(to number: Int64) {
        guard number > newest else { return }
        if !steps.isEmpty {
            let passed = min(number - newest, Int64(Self.stepCount))
            for offset in 1...passed { steps[Self.place(number - passed + offset)] = Step() }
        }
        newest = number
    }

    private static func number(_ time: Instant) -> Int64 {
        // Rounds down, also before the origin of the clock.
        let (quotient, remainder) = time.nanoseconds.quotientAndRemainder(dividingBy: step.clampedNanoseconds)
        return remainder < 0 ? quotient - 1 : quotient
    }

    private static func place(_ number: Int64) -> Int {
        let remainder = Int(number % Int64(stepCount))
        return remainder < 0 ? remainder + stepCount : remainder
    }
}
