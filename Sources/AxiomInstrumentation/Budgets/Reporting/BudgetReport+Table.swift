// SPDX-License-Identifier: Apache-2.0

extension BudgetReport {
    /// All budgets as a table in Markdown: no cell of a row is empty.
    public var table: String {
        let header = [
            "Budget", "Operation", "Specification", "Target", "Judged", "Measured at", "Checks", "p50", "p95", "p99",
            "Status",
        ]
        let lines = ([header, header.map { _ in "---" }] + rows.map(Self.cells)).map {
            "| " + $0.joined(separator: " | ") + " |"
        }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func cells(_ row: Row) -> [String] {
        let budget = row.budget
        let rows = budget.rows.map { "\($0.operation) \($0.target)" }
        let quantiles = [row.p50, row.p95, row.p99].map { $0?.text(budget.limit.unit) ?? "–" }
        return [
            budget.id.rawValue, budget.operation, rows.isEmpty ? "the application's own" : rows.joined(separator: "; "),
            target(row), judged(budget), place(budget), budget.isMeasured ? "\(row.counts.checks)" : "–",
        ] + quantiles + [verdict(row)]
    }

    /// The limit, and whether it is a default that the application did not confirm.
    private static func target(_ row: Row) -> String {
        guard row.budget.limit.unit != .none else { return "\(row.budget.limit)" }
        return "≤ \(row.budget.limit)" + (row.isConfirmed ? "" : " (default)")
    }

    private static func judged(_ budget: PerformanceBudget) -> String {
        guard budget.limit.unit != .none else { return "–" }
        return "\(budget.statistic ?? .p99)"
    }

    private static func place(_ budget: PerformanceBudget) -> String {
        switch budget.place {
        case .measured(let place): place
        case .notBuilt: "not built"
        case .notAvailable: "n/a"
        }
    }

    /// The status. If it is missed, also by how much, and where it is missed most.
    private static func verdict(_ row: Row) -> String {
        guard row.status == .missed else { return "\(row.status)" }
        let worst = row.components.max { $0.counts.violations < $1.counts.violations }
        let place = worst.map { ", most of them in \($0.name)" } ?? ""
        return "missed: \(row.counts.violations) beyond\(place)"
    }
}
