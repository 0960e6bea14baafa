// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// The status of all budgets at one moment.
public struct BudgetReport: Sendable {
    /// One component's part of a budget.
    public struct Component: Sendable {
        /// Its name.
        public let name: String
        /// Whether the application confirmed the budget for this component. If not, the limit is the specification's
        /// default, and violations are reported nowhere else.
        public let isConfirmed: Bool
        /// The limit of this component; a single action may have its own.
        public let limit: BudgetLimit
        /// The status of the component.
        public let status: BudgetStatus
        /// The numbers of checks and violations.
        public let counts: BudgetCounts
        /// The share within the budget over the last hours.
        public let level: ServiceLevel
        /// The worst violations, the worst first; five at most.
        public let worst: [BudgetExample]
    }

    /// One budget.
    public struct Row: Sendable {
        /// The budget, with the limit for components that have none of their own.
        public let budget: PerformanceBudget
        /// Whether the application confirmed the budget, for all components or for one.
        public let isConfirmed: Bool
        /// The status of all operations together.
        public let status: BudgetStatus
        /// The numbers of checks and violations.
        public let counts: BudgetCounts
        /// The mean in seconds, bytes or a count; nil before the first operation.
        public let mean: Double?
        /// The median; nil before the first operation.
        public let p50: BudgetQuantile?
        /// The 95th percentile; nil before the first operation.
        public let p95: BudgetQuantile?
        /// The 99th percentile; nil before the first operation.
        public let p99: BudgetQuantile?
        /// The components that have the operation, by name.
        public let components: [Component]
    }

    /// All budgets that are not removed: those of the specification in its order, then the application's own.
    public let rows: [Row]
    /// Rules for unregistered components or actions, such as a misspelt name.
    public let unusedOverrides: [String]
    /// The time of the report.
    public let time: Instant

    /// The row of a budget; nil if there is no such budget.
    public func row(_ id: PerformanceBudget.ID) -> Row? {
        rows.first { $0.budget.id == id }
    }
}
