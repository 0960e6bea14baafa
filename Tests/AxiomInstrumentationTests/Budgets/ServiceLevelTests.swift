// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomInstrumentation

@Suite("Service levels")
struct ServiceLevelTests {
    /// Keeps every record and adds those of a window up each time.
    private struct SlowRing {
        var records: [(step: Int64, counts: BudgetCounts)] = []
        var last = BudgetCounts()

        mutating func record(_ totals: BudgetCounts, at time: Instant) {
            let step = Int64((Double(time.nanoseconds) / 60e9).rounded(.down))
            let new = BudgetCounts(
                checks: totals.checks - last.checks,
                violations: totals.violations - last.violations
            )
            records.append((step, new))
            last = totals
        }

        func counts(minutes: Int, at time: Instant) -> BudgetCounts {
            let step = Int64((Double(time.nanoseconds) / 60e9).rounded(.down))
            return records.filter { $0.step > step - Int64(minutes) }.reduce(BudgetCounts()) { $0 + $1.counts }
        }
    }

    @Test("The ring counts in every window what a list of all records counts", arguments: 0..<40)
    func ring(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var now = Instant(nanoseconds: Int64.random(in: -10_000...10_000, using: &random) * 1_000_000_000)
        var (ring, slow) = (ServiceLevelRing(at: now), SlowRing())
        var totals = BudgetCounts()
        for _ in 0..<400 {
            // Mostly scrapes; now and then hours without a scrape.
            let seconds = Int.random(in: 0..<20, using: &random) == 0 ? 30_000 : 200
            now = now.advanced(by: .milliseconds(Int.random(in: 0...seconds * 1_000, using: &random)))
            totals.checks += UInt64.random(in: 0...50, using: &random)
            totals.violations += min(totals.checks - totals.violations, UInt64.random(in: 0...3, using: &random))
            ring.record(totals, at: now)
            slow.record(totals, at: now)
            let later = now.advanced(by: .seconds(Int.random(in: 0...400, using: &random)))
            for minutes in [1, 5, 30, 60, 360] {
                #expect(ring.counts(minutes: minutes, at: later) == slow.counts(minutes: minutes, at: later))
            }
        }
    }

    /// A ring with `violations` in 100 checks a minute, for each of the last `minutes`.
    private func level(_ minutes: Int, violations: UInt64, then quiet: Int = 0) -> ServiceLevel {
        var (ring, totals, now) = (ServiceLevelRing(at: .zero), BudgetCounts(), Instant.zero)
        for minute in 0..<(minutes + quiet) {
            now = Instant(nanoseconds: Int64(minute) * 60_000_000_000)
            totals.checks += 100
            totals.violations += minute < minutes ? violations : 0
            ring.record(totals, at: now)
        }
        return ServiceLevel(ring, objective: 0.99, at: now)
    }

    @Test("The burn rate is the share beyond the limit over what the objective leaves")
    func burnRate() throws {
        let level = level(400, violations: 3)
        for window in [level.fiveMinutes, level.thirtyMinutes, level.oneHour, level.sixHours] {
            #expect(
                window.counts
                    == BudgetCounts(checks: 100 * UInt64(window.minutes), violations: 3 * UInt64(window.minutes))
            )
            #expect(abs(try #require(window.burnRate) - 3) < 1e-9)
        }
    }

    @Test("Without checks there is no burn rate")
    func nothing() {
        let level = ServiceLevel(ServiceLevelRing(at: .zero), objective: 0.99, at: .zero)
        #expect(level.oneHour.burnRate == nil && level.oneHour.counts.share == nil)
    }

    @Test("The worst examples are the greatest of all, the worst first, of equals the earliest", arguments: 0..<20)
    func worst(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var worst = WorstExamples()
        let all = (0..<100).map { index in
            BudgetExample(
                value: .random(in: 0...30, using: &random),
                action: nil,
                time: Instant(nanoseconds: Int64(index)),
                limit: 1
            )
        }
        for example in all { worst.add(example) }
        let expected = all.sorted { ($1.value, $0.time) < ($0.value, $1.time) }.prefix(WorstExamples.capacity)
        #expect(worst.examples == Array(expected))
    }
}

extension Instant {
    fileprivate static let zero = Instant(nanoseconds: 0)
}
