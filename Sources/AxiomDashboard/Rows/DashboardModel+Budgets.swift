// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

extension DashboardModel {
    mutating func budgetRows(_ facts: RowFacts) -> [Row] {
        (facts.budgets?.rows ?? []).map { row in
            let name = row.budget.id.rawValue
            let values: [Value] = [
                .words(name), .text(row.unit),
                row.budget.limit.unit == .none ? .none : .number(row.budget.limit.metricValue),
                .text(row.word), .words(row.note), .number(row.budget.objective), .count(row.counts.checks),
                .count(row.counts.violations), .measured(row.counts.share), .measured(row.p99?.value),
            ]
            return Row(id: ids.budgets.id(name), values: values + [burn(row), spark(ofBudget: name), worst(row)])
        }
    }

    private func burn(_ row: BudgetReport.Row) -> Value {
        var json = JSONText()
        for (place, (name, window)) in BudgetReport.Row.windows.enumerated() {
            json.raw(place == 0 ? "{" : "," as StaticString)
            json.key(name)
            json.number(row.burnRate(window)?.significant(3))
        }
        json.raw("}" as StaticString)
        return .json(json.bytes)
    }

    private func spark(ofBudget name: String) -> Value {
        var json = JSONText()
        json.list(budgetSparks[name]?.steps ?? []) { $0.integer($1) }
        return .json(json.bytes)
    }

    private func worst(_ row: BudgetReport.Row) -> Value {
        let examples = row.components.flatMap { component in component.worst.map { (component.name, $0) } }
        var json = JSONText()
        json.list(examples.sorted { $0.1.value > $1.1.value }.prefix(5)) { json, example in
            json.raw("{\"component\":" as StaticString)
            Value.component(components.id(named: example.0)).write(to: &json)
            json.raw(",\"action\":" as StaticString)
            Value.words(example.1.action).write(to: &json)
            json.raw(",\"value\":" as StaticString)
            json.number(row.metric(example.1.value).significant())
            json.raw(",\"at\":" as StaticString)
            Value.moment(grid.seconds(example.1.time)).write(to: &json)
            json.raw("}" as StaticString)
        }
        return .json(json.bytes)
    }

    /// Takes note of the violations of the last ten seconds.
    mutating func closeBudgetStep(_ report: BudgetReport) {
        for row in report.rows where row.counts.checks > 0 {
            let name = row.budget.id.rawValue
            var spark = budgetSparks[name] ?? BudgetSpark(total: row.counts.violations)
            spark.add(row.counts.violations)
            budgetSparks[name] = spark
        }
    }

    /// The worst verdict on a component's operations.
    func budgetStatus(of component: String, _ facts: RowFacts) -> String {
        facts.budgetStatus[component] ?? "none"
    }

    /// How long an action of a component may take.
    func limit(ofComponent name: String, _ facts: RowFacts) -> Double? {
        components.id(named: name).flatMap { telemetry?.budgets.actionLimit(components.descriptors[$0]) }
    }

    /// A confirmed budget is a problem while it burns: what was missed long ago shows in its row.
    func budgetProblems(_ facts: RowFacts) -> [ProblemBook.Problem] {
        (facts.budgets?.rows ?? []).compactMap { row in
            let confirmed = row.components.filter(\.isConfirmed)
            let counts = BudgetReport.Row.counts(\.fiveMinutes, confirmed)
            guard confirmed.contains(where: { $0.status == .missed }), let share = counts.share,
                1 - share > 1 - row.budget.objective
            else { return nil }
            let limits = Set(confirmed.map(\.limit))
            let limit = limits.count == 1 ? "\(confirmed[0].limit)" : "their limits"
            let within = "\((share * 100).significant(4)) % within \(limit) in 5 minutes"
            return ProblemBook.Problem(
                key: "budget/\(row.budget.id)",
                isBad: true,
                panel: "budgets",
                component: nil,
                text: "Budget \(row.budget.id) is missed: \(within)",
                past: "Budget \(row.budget.id) was missed: \(within)"
            )
        }
    }

    /// Violations of confirmed budgets are reported once a minute for each budget and component.
    mutating func noteViolations(_ facts: RowFacts) {
        for row in facts.budgets?.rows ?? [] {
            for component in row.components where component.isConfirmed {
                let key = "\(row.budget.id)/\(component.name)"
                let before = known.violations[key] ?? 0
                guard component.counts.violations > before, at >= (known.toldViolations[key] ?? -.infinity) + 60 else {
                    continue
                }
                (known.violations[key], known.toldViolations[key]) = (component.counts.violations, at)
                let more = component.counts.violations - before
                let text = "Budget \(row.budget.id): \(more) over \(component.limit)"
                add("violation", "warning", component.name, text)
            }
        }
    }
}

/// The violations of a budget, in steps of ten seconds.
struct BudgetSpark: Sendable {
    private(set) var steps: [UInt64] = []
    private var total: UInt64

    init(total: UInt64) {
        self.total = total
    }

    mutating func add(_ violations: UInt64) {
        steps.append(violations &- min(total, violations))
        total = violations
        if steps.count > 30 { steps.removeFirst() }
    }
}

extension BudgetReport.Row {
    static var windows: [(String, KeyPath<ServiceLevel, ServiceLevel.Window>)] {
        [("5m", \.fiveMinutes), ("1h", \.oneHour), ("6h", \.sixHours)]
    }

    /// In the words of the page.
    var word: String { isConfirmed ? Self.word(status) : Self.defaultWord(status) }

    /// A limit that the application has not confirmed gives no verdict.
    static func defaultWord(_ status: BudgetStatus) -> String {
        switch status {
        case .met, .missed: "default"
        case .notBuilt, .notAvailable, .notMeasured: word(status)
        }
    }

    static func word(_ status: BudgetStatus) -> String {
        switch status {
        case .notBuilt: "unbuilt"
        case .notAvailable: "unavailable"
        case .notMeasured: "unmeasured"
        case .met: "met"
        case .missed: "violated"
        }
    }

    var note: String {
        if case .notAvailable(let reason) = status { return reason }
        return budget.operation
    }

    var unit: String {
        switch budget.limit.unit {
        case .time: "seconds"
        case .bytes: "bytes"
        case .count, .none: "count"
        }
    }

    /// A count of the limit's unit, in the unit of metrics.
    func metric(_ value: Int64) -> Double {
        budget.limit.unit == .time ? Double(value) / 1e9 : Double(value)
    }

    /// What was checked in a window, for all components together.
    func counts(_ window: KeyPath<ServiceLevel, ServiceLevel.Window>) -> BudgetCounts {
        Self.counts(window, components)
    }

    static func counts(
        _ window: KeyPath<ServiceLevel, ServiceLevel.Window>,
        _ components: [BudgetReport.Component]
    ) -> BudgetCounts {
        components.reduce(into: BudgetCounts()) { sum, component in
            sum.checks += component.level[keyPath: window].counts.checks
            sum.violations += component.level[keyPath: window].counts.violations
        }
    }

    /// How fast the allowance burns; nil when nothing was checked.
    func burnRate(_ window: KeyPath<ServiceLevel, ServiceLevel.Window>) -> Double? {
        counts(window).share.map { (1 - $0) / (1 - budget.objective) }
    }
}
