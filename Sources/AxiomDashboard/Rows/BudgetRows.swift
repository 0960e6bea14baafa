// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

struct BudgetRow: SnapshotRow {
    let id: Int
    let report: BudgetReport.Row
    /// Violations in each of the last steps of ten seconds.
    let spark: [UInt64]
    /// The worst violations as a list, the worst first, five at most.
    let worst: RowValue

    static let fields: [RowField<Self>] = [
        RowField("name") { .words($0.report.budget.id.rawValue) },
        RowField("unit") { .term($0.report.unitName) },
        RowField("limit") {
            $0.report.budget.limit.unit == .none ? .none : .number($0.report.limits.highest.metricValue)
        },
        RowField("status") { .term($0.report.statusName) },
        RowField("note") { .words($0.report.note) },
        RowField("objective") { .number($0.report.budget.objective) },
        RowField("checks") { .count($0.report.counts.checks) },
        RowField("violations") { .count($0.report.counts.violations) },
        RowField("within") { .measured($0.report.counts.share) },
        RowField("p99") { .measured($0.report.p99) },
        RowField("burn") { row in .json { row.writeBurnRates(to: &$0) } },
        RowField("spark") { row in .json { json in json.list(row.spark) { $0.integer($1) } } },
        RowField("worst") { $0.worst },
    ]

    static func rows(_ observed: Observation, _ history: History, _ ids: inout RowIDs) -> [BudgetRow] {
        (observed.budgets?.rows ?? []).map { report in
            let name = report.budget.id.rawValue
            return BudgetRow(
                id: ids.budgets.id(name),
                report: report,
                spark: history.sparks.violations(ofBudget: name),
                worst: worst(report, observed, history.grid, ids.components)
            )
        }
    }

    private static func worst(
        _ report: BudgetReport.Row,
        _ observed: Observation,
        _ grid: TimeGrid,
        _ components: ComponentIndex
    ) -> RowValue {
        let examples = report.components.flatMap { component in component.worst.map { (component.name, $0) } }
        let worst = examples.sorted { $0.1.ofLimit > $1.1.ofLimit }.prefix(5)
        return .json { json in
            json.list(worst) { json, example in
                let (component, example) = example
                json.object { json in
                    json.member("component", .count(components.id(named: component)))
                    json.member("action", .words(example.action))
                    json.member("value", report.metric(example.value).significant())
                    json.member("limit", report.metric(example.limit))
                    json.member("at", .moment(grid.seconds(example.time)))
                    json.member("trace", example.measured(component).flatMap { observed.traces[$0] }?.description)
                }
            }
        }
    }

    private func writeBurnRates(to json: inout JSONText) {
        json.object { json in
            for (name, path) in Self.windows { json.member(name, report.burnRate(path)?.significant(3)) }
        }
    }

    private static let windows: [(name: String, path: any KeyPath<ServiceLevel, ServiceLevel.Window> & Sendable)] = [
        ("5m", \.fiveMinutes), ("1h", \.oneHour), ("6h", \.sixHours),
    ]
}

extension BudgetExample {
    /// How many times the limit it cost.
    fileprivate var ofLimit: Double { Double(value) / Double(max(1, limit)) }
}

extension BudgetReport {
    /// The worst verdict on each component's operations, by the component's name.
    var statusByComponent: [String: String] {
        let order = ["violated", "met", "default", "unmeasured"]
        var worst: [String: String] = [:]
        for component in rows.flatMap(\.components) {
            let name = component.status.pageName(isConfirmed: component.isConfirmed)
            let (new, old) = (order.firstIndex(of: name), worst[component.name].flatMap { order.firstIndex(of: $0) })
            if let new, new < old ?? order.count { worst[component.name] = name }
        }
        return worst
    }
}

extension BudgetStatus {
    /// What the page calls it. A limit that the application has not confirmed gives no verdict.
    func pageName(isConfirmed: Bool) -> String {
        switch self {
        case .notAvailable: "unavailable"
        case .notMeasured: "unmeasured"
        case .met: isConfirmed ? "met" : "default"
        case .missed: isConfirmed ? "violated" : "default"
        }
    }
}

extension BudgetReport.Row {
    fileprivate var statusName: String { status.pageName(isConfirmed: isConfirmed) }

    fileprivate var note: String {
        if case .notAvailable(let reason) = status { return reason }
        let (low, high) = limits
        // The other columns have shares, which decide nothing here.
        let verdict = status == .missed && budget.statistic == .every ? "Missed by one check: each must pass. " : ""
        guard low.metricValue < high.metricValue else { return verdict + budget.operation }
        return "\(verdict)\(budget.operation) (limits from \(low) to \(high), by component)"
    }

    /// The lowest and the highest limit of the components that were checked; that of the budget if there are none.
    fileprivate var limits: (lowest: BudgetLimit, highest: BudgetLimit) {
        let own = components.filter { $0.counts.checks > 0 }.map(\.limit).sorted { $0.metricValue < $1.metricValue }
        return (own.first ?? budget.limit, own.last ?? budget.limit)
    }

    fileprivate var unitName: String {
        switch budget.limit.unit {
        case .time: "seconds"
        case .bytes: "bytes"
        case .count, .none: "count"
        }
    }

    /// A value in the unit of the limit, in the unit of metrics.
    fileprivate func metric(_ value: Int64) -> Double {
        budget.limit.unit == .time ? Double(value) / 1e9 : Double(value)
    }

    /// How fast the allowance burns, for all components together; nil when nothing was checked.
    fileprivate func burnRate(_ window: KeyPath<ServiceLevel, ServiceLevel.Window>) -> Double? {
        components.counts(in: window).share.map { (1 - $0) / (1 - budget.objective) }
    }
}

extension [BudgetReport.Component] {
    /// What was checked in a window, for all these components together.
    func counts(in window: KeyPath<ServiceLevel, ServiceLevel.Window>) -> BudgetCounts {
        reduce(into: BudgetCounts()) { sum, component in
            sum.checks += component.level[keyPath: window].counts.checks
            sum.violations += component.level[keyPath: window].counts.violations
        }
    }
}
