// SPDX-License-Identifier: Apache-2.0

public import AxiomInstrumentation
public import Testing

extension TelemetryAssertions {
    /// Expects that budgets are met by all operations since the telemetry was made. A budget is judged by its statistic:
    /// see `Documentation/budgets-and-regressions.md`.
    ///
    /// ```swift
    /// assertions.expectWithinBudgets(.clientAction, .contextCreation)
    /// ```
    /// It fails if one of the budgets was not measured, and if a budget rule names an unknown component or action.
    ///
    /// - Parameters:
    ///   - ids: The budgets. Default: all that the application confirmed.
    ///   - sourceLocation: Where failures are reported. Each budget is an issue of its own.
    public func expectWithinBudgets(
        _ ids: PerformanceBudget.ID...,
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        if let obstacle = obstacle("operations within their budgets") { return fail(obstacle, sourceLocation) }
        let report = telemetry.budgets.report
        for rule in report.unusedOverrides {
            fail("The budget rule \(rule) names nothing that is registered. Correct or remove it.", sourceLocation)
        }
        let chosen = ids.isEmpty ? report.rows.filter(\.isConfirmed).map(\.budget.id) : ids
        guard !chosen.isEmpty else {
            let message = """
                Expected operations within their budgets, but the application confirmed no budget.
                Name the budgets, or confirm them: Telemetry(budgets: [.confirm("client_action")]).
                """
            return fail(message, sourceLocation)
        }
        for id in chosen {
            if let failure = report.failure(id) { fail(failure, sourceLocation) }
        }
    }
}

extension BudgetReport {
    /// Why a budget is not known to be met; nil if it is met.
    fileprivate func failure(_ id: PerformanceBudget.ID) -> String? {
        guard let row = row(id) else {
            let nearest = Nearest.names(to: id.rawValue, among: rows.map(\.budget.id.rawValue)).first ?? "none"
            return "Expected the budget \(id) to be met, but there is no such budget.\nNearest: \(nearest)."
        }
        switch row.status {
        case .met: return nil
        case .missed: return row.missed
        case .notMeasured:
            return """
                Expected the budget \(id) to be met, but it was not measured: \(row.budget.operation).
                Perform the operation before the assertion, or do not name the budget.
                """
        case .notAvailable:
            return "Expected the budget \(id) to be met, but its status is: \(row.status)."
        }
    }
}

extension BudgetReport.Row {
    /// How far the budget is missed, and where.
    fileprivate var missed: String {
        let judged = "\(budget.statistic ?? .p99)"
        let lines = components.filter { $0.counts.violations > 0 }.map { component in
            let worst = component.worst.first.map { example in
                ", the worst \(example.action.map { "\($0) " } ?? "")\(cost(of: example))"
            }
            let counts = "\(component.counts.violations) of \(component.counts.checks)"
            return "    \(component.name): \(counts) beyond \(component.limit)\(worst ?? "")"
        }
        return """
            Expected the budget \(budget.id) to be met, found \(counts.violations) of \(counts.checks) operations beyond \
            the limit; judged: \(judged).
            \(lines.joined(separator: "\n"))
            """
    }

    private func cost(of example: BudgetExample) -> String {
        switch budget.limit.unit {
        case .time: "\(BudgetLimit.duration(.nanoseconds(example.value)))"
        case .bytes: "\(BudgetLimit.bytes(Int(example.value)))"
        case .count, .none: "\(example.value)"
        }
    }
}
