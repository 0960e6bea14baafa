// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation

// Degraded capabilities, unconfirmed limits, and the times of calls.
extension ObservedMoment {
    /// A capability below the level `full` is a problem, unless its instance is not due.
    var capabilityProblems: [Problem] {
        observed.capabilities.compactMap { component, reading in
            guard reading.level != .full, !reading.isIdle else { return nil }
            let name = component.name
            let removal = Self.key(.capability, name)
            let isRemoved = observed.actions.contains { Self.key($0.part, $0.action.component) == removal }
            let state = "\(reading.level)" + (reading.reason.isEmpty ? "" : ": \(reading.reason)")
            return Problem(
                key: "capability/\(name)",
                level: reading.level == .unavailable ? .bad : .warning,
                kind: .capability,
                component: id(named: name),
                text: "\(name) is \(state)",
                reason: "\(reading.level)",
                past: "\(name) was \(state)",
                symptom: .degraded(isInherited: reading.isInherited),
                subjects: [name],
                cause: isRemoved ? removal : nil
            )
        }
    }

    /// The most observations on budgets at one moment.
    private static let mostObservations = 20
    /// The least number of checks in five minutes for an observation.
    private static let leastChecks: UInt64 = 20

    /// The unconfirmed limits that are missed more often than the objective explains once in 10⁶, the worst ones first.
    var budgetObservations: [Problem] {
        // Leaks are problems without any limit.
        let rows = (observed.budgets?.rows ?? []).filter { $0.budget.id != .leakPrevention }
        let missed = rows.flatMap { row in row.components.compactMap { observation($0, row.budget) } }
        return missed.sorted { ($1.ratio, $0.problem.key) < ($0.ratio, $1.problem.key) }
            .prefix(Self.mostObservations).map(\.problem)
    }

    private func observation(
        _ part: BudgetReport.Component,
        _ budget: PerformanceBudget
    ) -> (ratio: Double, problem: Problem)? {
        let counts = part.level.fiveMinutes.counts
        guard !part.isConfirmed, counts.checks >= Self.leastChecks,
            RareShare.isBeyond(Double(counts.violations), of: Double(counts.checks), 1 - budget.objective),
            let (ratio, value, excess) = excess(part)
        else { return nil }
        let isTime = part.limit.unit == .time
        func text(_ verb: String) -> String { "\(part.name)'s \(budget.id) \(verb) \(excess)" }
        let problem = Problem(
            key: "observation/\(budget.id)/\(part.name)",
            level: .observation,
            kind: .budget,
            component: id(named: part.name),
            text: text(isTime ? "takes" : "is"),
            past: text(isTime ? "took" : "was"),
            symptom: isTime ? .slow : .other,
            subjects: [part.name],
            seconds: isTime ? value : .infinity
        )
        return (ratio, problem)
    }

    /// How many times the limit something is since the start, its value, and that as a text, such as `487 ms at p99, 61× the
    /// default limit`; nil for a limit without a number.
    private func excess(_ part: BudgetReport.Component) -> (ratio: Double, value: Double, text: String)? {
        let limit = part.limit
        guard limit.unit != .none, limit.value > 0 else { return nil }
        let worst = part.worst.first.map { limit.unit == .time ? Double($0.value) / 1e9 : Double($0.value) }
        var (value, statistic) = (part.p99 ?? 0, "p99")
        // The percentile may be within the limit: if it was not missed for long, or if each check must pass.
        if value <= limit.metricValue, let worst { (value, statistic) = (worst, "worst") }
        let ratio = value / limit.metricValue
        let times = QuantityFormat.number(ratio.significant(2))
        return (ratio, value, "\(limit.unit.text(value)) at \(statistic), \(times)× the default limit")
    }

    /// The calls since the mark of the history, and those before it. Of the calls of clients only the number is counted by
    /// caller: each is taken to be as long as those of all callers.
    ///
    /// - Parameter slow: What is known to be slow, now or compared with the hour before.
    func callTimes(of slow: [Problem]) -> CallTimes {
        let totals = totalTimes
        var calls: [ComponentDependency: MeasuredCalls] = [:]
        for (edge, counts) in observed.traffic {
            let before = history.mark?.callsByEdge[edge]
            let (count, countBefore) = (Double(counts.calls &- (before?.calls ?? 0)), Double(before?.calls ?? 0))
            if counts.nanoseconds > 0 {
                calls[edge] = MeasuredCalls(
                    count: count,
                    seconds: Double(counts.nanoseconds &- (before?.nanoseconds ?? 0)) / 1e9,
                    countBefore: countBefore,
                    secondsBefore: Double(before?.nanoseconds ?? 0) / 1e9
                )
            } else if edge.to.kind == .client, let total = totals[edge.to] {
                calls[edge] = MeasuredCalls(
                    count: count,
                    seconds: count * total.seconds / max(1, total.count),
                    countBefore: countBefore,
                    secondsBefore: countBefore * total.secondsBefore / max(1, total.countBefore)
                )
            }
        }
        let changed = Set(slow.filter { $0.trend != nil }.flatMap(\.subjects))
        return CallTimes(calls, totals, changed: changed)
    }

    /// All actions and calls of each component.
    private var totalTimes: [ComponentDescriptor: MeasuredCalls] {
        let (actions, mark) = (history.actions, history.mark?.actions)
        var totals: [ComponentDescriptor: MeasuredCalls] = [:]
        for (id, component) in components.descriptors.enumerated() {
            let ids = actions.ids(of: id)
            let (all, new) = (actions.durations(of: ids), actions.durations(of: ids, since: mark))
            totals[component] = MeasuredCalls(
                count: Double(new.count),
                seconds: new.sum,
                countBefore: Double(all.count &- new.count),
                secondsBefore: all.sum - new.sum
            )
        }
        return totals
    }
}
