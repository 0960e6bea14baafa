// SPDX-License-Identifier: Apache-2.0

internal import AxiomMetrics

/// The families of budgets, filled at each scrape.
struct BudgetFamilies {
    private var seconds = CollectedFamily.gauge(
        "axiom_budget_limit_seconds",
        help: "How long an operation may take; with a component, that component's own limit.",
        labels: "budget",
        "component"
    )
    private var bytes = CollectedFamily.gauge(
        "axiom_budget_limit_bytes",
        help: "How much memory something may use; with a component, that component's own limit.",
        labels: "budget",
        "component"
    )
    private var objectives = CollectedFamily.gauge(
        "axiom_budget_objective_ratio",
        help: "Share of operations that has to be within a budget; alerts measure violations by the rest.",
        labels: "budget"
    )
    private var confirmed = CollectedFamily.gauge(
        "axiom_budget_confirmed",
        help: "1 for each budget and component that the application confirmed; alerts hold for these only.",
        labels: "budget",
        "component"
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

    /// The families that have a series.
    var all: [CollectedFamily] {
        [seconds, bytes, objectives, confirmed, checks, violations].filter { !$0.isEmpty }
    }

    /// - Parameter components: The components with their own limits. The limit of all others has no component: an empty
    ///   label gives the same series as no label.
    mutating func add(_ budget: PerformanceBudget, _ components: [(component: String, limit: BudgetLimit)]) {
        objectives.add(budget.objective, budget.id.rawValue)
        for (component, limit) in [("", budget.limit)] + components {
            switch limit.unit {
            case .time: seconds.add(limit.metricValue, budget.id.rawValue, component)
            case .bytes: bytes.add(limit.metricValue, budget.id.rawValue, component)
            case .count, .none: break
            }
        }
    }

    mutating func add(_ counts: BudgetCounts, _ series: BudgetSeries) {
        let (budget, component) = (series.budget.id.rawValue, series.component)
        if series.isConfirmed { confirmed.add(1, budget, component) }
        checks.add(Double(counts.checks), budget, component)
        violations.add(Double(counts.violations), budget, component)
    }
}
