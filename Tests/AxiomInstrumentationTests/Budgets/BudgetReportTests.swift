// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomMetrics
import AxiomSampleApp
import Synchronization
import Testing

@testable import AxiomInstrumentation

@Suite("The report of performance budgets")
@MainActor
struct BudgetReportTests {
    @Test("An unmeasured budget is not met; budgets that are not measurable have their own status")
    func statuses() throws {
        let report = try Telemetry().budgets.report
        #expect(report.rows.count == PerformanceBudget.specification.count)
        for row in report.rows {
            switch row.budget.place {
            case .measured: #expect(row.status == .notMeasured, "\(row.budget.id)")
            case .notAvailable(let reason): #expect(row.status == .notAvailable(reason) && !reason.isEmpty)
            }
        }
        #expect(report.row("navigation_memory").map { "\($0.status)".contains("axiom-bench") } == true)
    }

    @Test("No cell of the table is empty, and each row has all of them")
    func table() async throws {
        let app = try await SampleApp.started()
        try await app.runOnce()
        let lines = app.telemetry.budgets.report.table.split(separator: "\n")
        #expect(lines.count == PerformanceBudget.specification.count + 2)
        for line in lines {
            let cells = line.split(separator: "|", omittingEmptySubsequences: false).dropFirst().dropLast()
            #expect(cells.count == 11, "\(line)")
            #expect(cells.allSatisfy { !$0.allSatisfy(\.isWhitespace) }, "\(line)")
        }
    }

    private func status(
        _ statistic: BudgetStatistic,
        _ checks: UInt64,
        _ violations: UInt64,
        mean: Double = 0
    ) -> BudgetStatus {
        let budget = PerformanceBudget("x", "x", limit: .seconds(1), statistic: statistic)
        return BudgetStatus(budget, BudgetCounts(checks: checks, violations: violations), mean: mean, limit: 1)
    }

    @Test("A percentile is met while no more are beyond it than it leaves")
    func verdicts() {
        #expect(status(.p99, 100, 1) == .met)
        #expect(status(.p99, 100, 2) == .missed)
        #expect(status(.p99, 99, 1) == .missed)
        #expect(status(.p95, 100, 5) == .met)
        #expect(status(.p95, 100, 6) == .missed)
        #expect(status(.every, 1_000_000, 0) == .met)
        #expect(status(.every, 1_000_000, 1) == .missed)
        #expect(status(.mean, 10, 9, mean: 1) == .met)
        #expect(status(.mean, 10, 0, mean: 1.001) == .missed)
        #expect(status(.p99, 0, 0) == .notMeasured)
    }

    @Test("Quantities read as people write them")
    func quantities() {
        let durations: [(Double, String)] = [
            (0.008, "8 ms"), (1, "1 s"), (1e-6, "1 µs"), (0.0123, "12.3 ms"), (0, "0 ns"), (0.3, "300 ms"),
            (0.99996, "1 s"),
        ]
        for (seconds, text) in durations { #expect(BudgetLimit.Unit.time.text(seconds) == text) }
        #expect(BudgetLimit.Unit.bytes.text(512) == "512 B")
        #expect(BudgetLimit.Unit.bytes.text(52_428_800) == "50 MB")
        #expect(BudgetLimit.Unit.count.text(3) == "3")
    }

    @Test("A state's footprint is close to the size of its contents")
    func footprints() {
        var estimate = FootprintEstimate()
        #expect(estimate.bytes(of: 7) == 8)
        #expect(estimate.bytes(of: [Int64](repeating: 1, count: 1_000)) == 8 + 32 + 8_000)
        let text = estimate.bytes(of: String(repeating: "x", count: 5_000))
        #expect(text == 16 + 32 + 5_000)
        let nested = estimate.bytes(of: ["a": [1, 2, 3], "b": []])
        #expect(nested > 32 + 2 * 24 && nested < 300)
    }

    /// What must not be looked into from outside.
    private final class Guarded: CustomReflectable {
        var customMirror: Mirror {
            Issue.record("an object was looked into")
            return Mirror(self, children: [])
        }
    }

    /// Counts how often it is looked at.
    private struct Leaf: CustomReflectable {
        static let looks = Atomic<Int>(0)

        var customMirror: Mirror {
            Self.looks.add(1, ordering: .relaxed)
            return Mirror(self, children: ["a": 1, "b": 2])
        }
    }

    @Test("Only the header of an object counts, because a lock may guard its properties")
    func objects() {
        var estimate = FootprintEstimate()
        #expect(estimate.bytes(of: [Guarded(), Guarded()]) == 8 + 32 + 2 * (8 + 16))
    }

    @Test("A bounded number of nested values is inspected, and these stand for the others")
    func nested() {
        let row = [Leaf](repeating: Leaf(), count: 200)
        let table = [[[Leaf]]](repeating: [[Leaf]](repeating: row, count: 200), count: 200)
        var estimate = FootprintEstimate()
        let bytes = estimate.bytes(of: table)
        #expect(Leaf.looks.load(ordering: .relaxed) <= FootprintEstimate.inspectionLimit)
        // Eight million leaves of one byte each; a row's header is shared by 200.
        #expect((8e6...11e6).contains(bytes), "\(bytes)")
    }
}
