// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

/// How all operations stand to their budgets at one moment.
public struct BudgetReport: Sendable {
    /// One component's part of a budget.
    public struct Component: Sendable {
        /// Its name.
        public let name: String
        /// Whether the application confirmed the budget for this component. If not, the limit is the specification's
        /// default, and violations are reported nowhere else.
        public let isConfirmed: Bool
        /// The limit that counts for this component; an action may have one of its own.
        public let limit: BudgetLimit
        /// How it stands.
        public let status: BudgetStatus
        /// What was checked.
        public let counts: BudgetCounts
        /// The share within the budget over the last hours.
        public let level: ServiceLevel
        /// The worst violations, the worst first; five at most.
        public let worst: [BudgetExample]
    }

    /// One budget.
    public struct Row: Sendable {
        /// The budget, with the limit that counts where a component has none of its own.
        public let budget: PerformanceBudget
        /// Whether the application confirmed the budget, for all components or for one.
        public let isConfirmed: Bool
        /// How all operations together stand to it.
        public let status: BudgetStatus
        /// What was checked.
        public let counts: BudgetCounts
        /// In seconds, bytes or things; nil before the first.
        public let mean: Double?
        /// The median; nil before the first operation.
        public let p50: BudgetQuantile?
        /// The 95th percentile; nil before the first operation.
        public let p95: BudgetQuantile?
        /// The 99th percentile; nil before the first operation.
        public let p99: BudgetQuantile?
        /// Those that have the operation, by name.
        public let components: [Component]
    }

    /// All budgets that are not removed: those of the specification in its order, then the application's own.
    public let rows: [Row]
    /// Rules for components or actions that have not been registered: a name that is misspelt is found here.
    public let unusedOverrides: [String]
    /// When the report was made.
    public let time: Instant

    /// The row of a budget; nil for a name that is none.
    public func row(_ id: PerformanceBudget.ID) -> Row? {
        rows.first { $0.budget.id == id }
    }
}
