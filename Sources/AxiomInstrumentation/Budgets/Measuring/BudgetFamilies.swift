// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// The families of budgets, filled at each scrape.
struct BudgetFamilies {
    private var seconds = CollectedFamily.gauge(
        "axiom_budget_limit_seconds",
        help: "How long an operation may take, where its component has no limit of its own.",
        labels: "budget"
    )
    private var bytes = CollectedFamily.gauge(
        "axiom_budget_limit_bytes",
        help: "How much memory something may use, where its component has no limit of its own.",
        labels: "budget"
    )
    private var objectives = CollectedFamily.gauge(
        "axiom_budget_objective_ratio",
        help: "Share of operations that has to be within a budget; alerts measure violations by the rest.",
        labels: "budget"
    )
    private var checks = CollectedFamily.counter(
        "axiom_budget_checks_total",
        help: "Operations that were checked against a budget; of the shortest a sample is.",
        labels: "budget",
        "component"
    )
    private var violations = CollectedFamily.counter(
        "axiom_budget_violations_total",
        help: "Operations that went beyond a budget.",
        labels: "budget",
        "component"
    )

    /// Those that have a series.
    var all: [CollectedFamily] {
        [seconds, bytes, objectives, checks, violations].filter { !$0.isEmpty }
    }

    mutating func add(_ budget: PerformanceBudget) {
        objectives.add(budget.objective, budget.id.rawValue)
        switch budget.limit.unit {
        case .time: seconds.add(budget.limit.metricValue, budget.id.rawValue)
        case .bytes: bytes.add(budget.limit.metricValue, budget.id.rawValue)
        case .count, .none: break
        }
    }

    mutating func add(_ counts: BudgetCounts, _ budget: PerformanceBudget, _ component: String) {
        checks.add(Double(counts.checks), budget.id.rawValue, component)
        violations.add(Double(counts.violations), budget.id.rawValue, component)
    }
}
