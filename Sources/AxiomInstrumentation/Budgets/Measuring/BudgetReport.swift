// SPDX-License-Identifier: Apache-2.0

package import AxiomBase

/// The status of all budgets at one moment.
public struct BudgetReport: Sendable {
    /// One component's part of a budget.
    public struct Component: Sendable {
        /// Its name.
        public let name: String
        /// Whether the application confirmed the budget for this component. If not, the limit is the specification's
        /// default, and violations are reported nowhere else.
        package let isConfirmed: Bool
        /// The limit of this component; a single action may have its own.
        package let limit: BudgetLimit
        /// The status of the component.
        public let status: BudgetStatus
        /// The numbers of checks and violations.
        public let counts: BudgetCounts
        /// The 99th percentile; nil before the first operation.
        package let p99: Double?
        /// The share within the budget over the last hours.
        package let level: ServiceLevel
        /// The worst violations, the worst first; five at most.
        package let worst: [BudgetExample]
    }

    /// One budget.
    public struct Row: Sendable {
        /// The budget, with the limit for components that have none of their own.
        public let budget: PerformanceBudget
        /// Whether the application confirmed the budget, for all components or for one.
        package let isConfirmed: Bool
        /// The status of all operations together.
        public let status: BudgetStatus
        /// The numbers of checks and violations.
        public let counts: BudgetCounts
        /// The mean in seconds, bytes or a count; nil before the first operation.
        package let mean: Double?
        /// The median; nil before the first operation.
        package let p50: Double?
        /// The 95th percentile; nil before the first operation.
        package let p95: Double?
        /// The 99th percentile; nil before the first operation.
        package let p99: Double?
        /// The components that have the operation, by name.
        public let components: [Component]
    }

    /// All budgets that are not removed: those of the specification in its order, then the application's own.
    public let rows: [Row]
    /// Rules for unregistered components or actions, such as a misspelt name.
    package let unusedOverrides: [String]
    package let time: Instant

    /// The row of a budget; nil if there is no such budget.
    public func row(_ id: PerformanceBudget.ID) -> Row? {
        rows.first { $0.budget.id == id }
    }
}

/// The result of comparing an operation with its budget.
public enum BudgetStatus: Sendable, Hashable, CustomStringConvertible {
    /// It cannot be measured, for this reason.
    case notAvailable(String)
    /// It has not happened yet, which differs from met.
    case notMeasured
    /// The budget's statistic is within the limit.
    case met
    /// The budget's statistic is beyond the limit.
    case missed

    /// The text in the table of all budgets.
    public var description: String {
        switch self {
        case .notAvailable(let reason): "n/a: \(reason)"
        case .notMeasured: "not measured"
        case .met: "met"
        case .missed: "missed"
        }
    }

    /// Judges the measured operations.
    ///
    /// A percentile is within the limit if the share of violations is no more than the percentile permits. This is
    /// exact; a quantile from a histogram would be an estimate.
    ///
    /// - Parameter mean: In the limit's unit of metrics.
    init(_ budget: PerformanceBudget, _ counts: BudgetCounts, mean: Double, limit: Double) {
        guard counts.checks > 0 else {
            self = .notMeasured
            return
        }
        let (checks, violations) = (Double(counts.checks), Double(counts.violations))
        let isMet =
            switch budget.statistic ?? .p99 {
            case .every: counts.violations == 0
            case .mean: mean <= limit
            case .p95: violations * 100 <= checks * 5
            case .p99: violations * 100 <= checks
            }
        self = isMet ? .met : .missed
    }
}

extension BudgetMonitor {
    /// The current status of one budget, from the series of its components.
    func row(_ budget: PerformanceBudget, _ series: [BudgetSeries], at now: Instant) -> BudgetReport.Row {
        // Leaks are judged by their number at this moment, but counted since the start.
        let suspects = budget.id == .leakPrevention ? census.suspects : nil
        var total = BudgetCounts()
        var all = ExponentialHistogramData.empty
        var components: [BudgetReport.Component] = []
        for series in series {
            let distribution = series.distribution
            let part = component(series, distribution, suspects: suspects?[series.component], at: now)
            components.append(part)
            total = total + part.counts
            all.merge(distribution)
        }
        let leaked = suspects.map { $0.values.reduce(0, +) }
        let judged = BudgetCounts(checks: total.checks, violations: leaked ?? total.violations)
        // A mean is judged for each component, because their limits may differ.
        let isMeanMissed = budget.statistic == .mean && components.contains { $0.status == .missed }
        let known = total.checks == 0 ? nil : leaked.map { Double($0) }
        return BudgetReport.Row(
            budget: budget,
            isConfirmed: table.standing(budget.id, nil) == .confirmed || components.contains(where: \.isConfirmed),
            status: isMeanMissed ? .missed : status(budget, judged, mean: all.mean),
            counts: total,
            mean: total.checks == 0 ? nil : known ?? all.mean,
            p50: known ?? all.estimate(0.5),
            p95: known ?? all.estimate(0.95),
            p99: known ?? all.estimate(0.99),
            components: components.sorted { $0.name < $1.name }
        )
    }

    private func component(
        _ series: BudgetSeries,
        _ distribution: ExponentialHistogramData,
        suspects: UInt64?,
        at now: Instant
    ) -> BudgetReport.Component {
        let (budget, counts) = (series.budget, series.sample(at: now))
        let limit = BudgetLimit(unit: budget.limit.unit, value: table.limit(budget, series.component))
        let judged = BudgetCounts(checks: counts.checks, violations: suspects ?? counts.violations)
        return BudgetReport.Component(
            name: series.component,
            isConfirmed: series.isConfirmed,
            limit: limit,
            status: BudgetStatus(budget, judged, mean: distribution.mean, limit: limit.metricValue),
            counts: counts,
            p99: distribution.estimate(0.99),
            level: series.level(at: now),
            worst: series.examples
        )
    }

    private func status(_ budget: PerformanceBudget, _ counts: BudgetCounts, mean: Double) -> BudgetStatus {
        switch budget.place {
        case .notAvailable(let reason): .notAvailable(reason)
        case .measured: BudgetStatus(budget, counts, mean: mean, limit: budget.limit.metricValue)
        }
    }
}

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
        let quantiles = [row.p50, row.p95, row.p99].map { $0.map(budget.limit.unit.text) ?? "–" }
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
        case .notAvailable: "n/a"
        }
    }

    /// The status. If it is missed, also by how much, and where it is missed most.
    private static func verdict(_ row: Row) -> String {
        guard row.status == .missed else { return "\(row.status)" }
        let worst = row.components.max { $0.counts.violations < $1.counts.violations }
        let component = worst.map { ", most of them in \($0.name)" } ?? ""
        return "missed: \(row.counts.violations) beyond\(component)"
    }
}
