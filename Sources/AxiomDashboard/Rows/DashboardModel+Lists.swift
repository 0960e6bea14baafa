// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomMetrics
internal import AxiomResilience

extension DashboardModel {
    /// Makes all lists anew, as they are at this moment. Cost: some microseconds for each row.
    mutating func rebuild() {
        refreshBudgets()
        let facts = RowFacts(self)
        observe(facts)
        lists = ListKind.allCases.map { kind in RowList(kind: kind, rows: rows(kind, facts)) }
    }

    private mutating func observe(_ facts: RowFacts) {
        noteNews(facts)
        refreshGraph()
        problems.note(findProblems(facts), at: at)
    }

    /// Looks for news and for trouble while nobody looks at the page.
    mutating func survey() {
        refreshBudgets()
        observe(RowFacts(self))
    }

    /// The report reads every histogram of every budget: once in five seconds is enough.
    private mutating func refreshBudgets() {
        guard let telemetry, budgetReport == nil || at.truncatingRemainder(dividingBy: 5) == 0 else { return }
        budgetReport = telemetry.budgets.report
    }

    private mutating func rows(_ kind: ListKind, _ facts: RowFacts) -> [Row] {
        switch kind {
        case .problems: problems.rows
        case .circuits: circuitRows(facts)
        case .events: feed.rows
        case .budgets: budgetRows(facts)
        case .errors: errorRows(facts)
        case .regressions: regressionRows(facts)
        case .runtime: runtimeRows()
        case .telemetry: telemetryRows()
        case .components: componentRows(facts)
        case .calls: callRows()
        case .slowest: slowestRows()
        case .edges: edgeRows()
        case .policies: policyRows()
        case .instances: instanceRows()
        case .latency: latencyRows(facts)
        }
    }
}

/// What several lists are made of, read once.
struct RowFacts {
    let census: [CensusRow]
    let circuits: [CircuitFact]
    let errors: ErrorMonitor.Report?
    let verdicts: [RegressionVerdict]
    let budgets: BudgetReport?
    /// The worst verdict on each component's operations.
    let budgetStatus: [String: String]

    init(_ model: DashboardModel) {
        budgets = model.budgetReport
        budgetStatus = Self.worst(model.budgetReport)
        census = model.telemetry?.componentCounts ?? []
        circuits = model.circuits
        errors = model.telemetry?.errors.report
        verdicts = model.telemetry?.regressions.latestVerdicts ?? []
    }

    private static func worst(_ report: BudgetReport?) -> [String: String] {
        let order = ["violated", "met", "default", "unmeasured"]
        var worst: [String: String] = [:]
        for component in (report?.rows ?? []).flatMap(\.components) {
            let status = component.status
            let word = component.isConfirmed ? BudgetReport.Row.word(status) : BudgetReport.Row.defaultWord(status)
            let (new, old) = (order.firstIndex(of: word), worst[component.name].flatMap { order.firstIndex(of: $0) })
            if let new, new < old ?? order.count { worst[component.name] = word }
        }
        return worst
    }
}
