// SPDX-License-Identifier: Apache-2.0

/// The result of comparing an operation with its budget.
public enum BudgetStatus: Sendable, Hashable, CustomStringConvertible {
    /// The framework cannot do this yet.
    case notBuilt
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
        case .notBuilt: "not built"
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
