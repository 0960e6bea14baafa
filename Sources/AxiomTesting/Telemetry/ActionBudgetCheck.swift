// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

/// What a telemetry had recorded when the assertions began.
struct TelemetryBaseline {
    private struct BudgetKey: Hashable {
        let id: PerformanceBudget.ID
        let component: String
    }

    let counts: RecordCounts
    /// The spans that had ended.
    let spans: Set<UInt64>
    /// The number of spans that had been dropped.
    let lostSpans: UInt64
    private let violations: [BudgetKey: UInt64]

    init(_ telemetry: Telemetry) {
        counts = RecordCounts(telemetry)
        spans = Set(telemetry.activity(latest: .max, of: Set(SpanKind.allCases)).map(\.id))
        lostSpans = telemetry.lostSpans
        let rows = telemetry.budgets.report.rows
        let pairs = rows.flatMap { row in
            row.components.map { (BudgetKey(id: row.budget.id, component: $0.name), $0.counts.violations) }
        }
        violations = Dictionary(pairs) { $0 + $1 }
    }

    /// How many operations of a component had exceeded a budget.
    func violations(_ id: PerformanceBudget.ID, _ component: String) -> UInt64 {
        violations[BudgetKey(id: id, component: component), default: 0]
    }
}

/// Finds the actions of one case that exceeded the limit of a budget since the beginning.
struct ActionBudgetCheck {
    let telemetry: Telemetry
    let baseline: TelemetryBaseline
    let component: String
    let action: String
    let outcome: ActionOutcome
    let budget: PerformanceBudget.ID

    /// What was found instead of `count` actions within the budget; nil if there were none beyond it.
    func failure(_ count: UInt64) -> String? {
        guard let row = telemetry.budgets.report.row(budget) else {
            let known = telemetry.readings.budgets.rows.map(\.budget.id.rawValue)
            return "no budget \(budget).\nNearest: \(Nearest.names(to: budget.rawValue, among: known).first ?? "none")."
        }
        guard let part = row.components.first(where: { $0.name == component }) else {
            return """
                no operation of \(component) that the budget \(budget) limits.
                Actions have the budgets client_action and context_action.
                """
        }
        let exceeded = part.counts.violations - min(part.counts.violations, baseline.violations(budget, component))
        guard exceeded > 0 else { return nil }
        let slow = durations.filter { $0.nanoseconds > $0.limit }
        if let worst = slow.max(by: { $0.nanoseconds < $1.nanoseconds }) {
            let limit = BudgetLimit.duration(.nanoseconds(worst.limit))
            let longest = BudgetLimit.duration(.nanoseconds(worst.nanoseconds))
            return "\(slow.count) of \(count) beyond the limit of \(limit), the longest of \(longest)."
        }
        // Actions of other cases exceeded the limit, or nothing tells which ones did.
        guard telemetry.spanCounts == nil else { return nil }
        return """
            \(exceeded) actions of \(component) beyond the limit, and no spans that show of which case.
            Make the telemetry with a flight recorder.
            """
    }

    /// The durations and limits of the actions that were recorded since the beginning.
    private var durations: [(nanoseconds: Int64, limit: Int64)] {
        telemetry.activity(latest: .max, of: [.clientAction, .contextAction]).compactMap { span in
            guard !baseline.spans.contains(span.id), span.component?.name == component, span.name == action,
                span.outcome == outcome, let limit = telemetry.readings.budget(of: span), limit.name == budget.rawValue
            else { return nil }
            return (span.nanoseconds, Int64((limit.limit * 1e9).rounded()))
        }
    }
}
