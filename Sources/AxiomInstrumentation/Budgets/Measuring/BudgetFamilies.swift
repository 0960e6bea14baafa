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
        help: "1 for each budget and component that the application confirmed, without a component for all; "
            + "alerts hold for these only.",
        labels: "budget",
        "component"
    )
    private var checks = CollectedFamily.counter(
        "axiom_budget_checks_total",
        help:
            "Operations that were checked against a budget; of the shortest, a sample. A lean page sums the components "
            + "of an unconfirmed budget.",
        labels: "budget",
        "component"
    )
    private var violations = CollectedFamily.counter(
        "axiom_budget_violations_total",
        help: "Operations that exceeded a budget. A lean page sums the components of an unconfirmed budget.",
        labels: "budget",
        "component"
    )

    private let detail: DetailLevel
    /// For a lean page: the sums of the unconfirmed components of each budget, and the confirmed components.
    private var unconfirmed: [PerformanceBudget.ID: BudgetCounts] = [:]
    private var confirmedComponents: [PerformanceBudget.ID: [String]] = [:]

    init(_ table: BudgetTable, _ detail: DetailLevel) {
        self.detail = detail
        // Rules need the constants of confirmed budgets alone.
        for budget in table.budgets where detail == .full || budget.isMeasured && table.isConfirmed(budget.id) {
            add(budget, table.componentLimits(budget.id))
        }
    }

    /// The families that have a series.
    var all: [CollectedFamily] {
        var (checks, violations, confirmed) = (checks, violations, confirmed)
        for (id, counts) in unconfirmed {
            checks.add(Double(counts.checks), id.rawValue, "")
            violations.add(Double(counts.violations), id.rawValue, "")
        }
        for (id, components) in confirmedComponents {
            let isForAll = detail == .lean && unconfirmed[id] == nil
            for component in isForAll ? [""] : components { confirmed.add(1, id.rawValue, component) }
        }
        return [seconds, bytes, objectives, confirmed, checks, violations].filter { !$0.isEmpty }
    }

    /// - Parameter components: The components with their own limits. The limit of all others has no component: an empty
    ///   label gives the same series as no label.
    private mutating func add(_ budget: PerformanceBudget, _ components: [(component: String, limit: BudgetLimit)]) {
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
        let (id, component) = (series.budget.id, series.component)
        if series.isConfirmed { confirmedComponents[id, default: []].append(component) }
        guard detail == .full || series.isConfirmed else {
            unconfirmed[id, default: BudgetCounts()] = unconfirmed[id, default: BudgetCounts()] + counts
            return
        }
        // On a lean page a budget appears with its first check.
        guard detail == .full || counts.checks > 0 else { return }
        checks.add(Double(counts.checks), id.rawValue, component)
        violations.add(Double(counts.violations), id.rawValue, component)
    }
}
