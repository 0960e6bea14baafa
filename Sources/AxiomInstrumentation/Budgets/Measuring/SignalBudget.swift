// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomMetrics

/// A budget whose operations another module records as signals.
struct SignalBudget: Sendable {
    /// The family of the durations.
    let family: String
    let budget: PerformanceBudget.ID
    /// The label whose value is the component of the budget.
    let component: String
    /// The label whose value names an operation beyond the limit.
    let action: String
    /// The label value that selects the signals that record whole operations.
    let selection: (label: String, value: String)

    static let all = [
        SignalBudget(
            family: "axiom_navigation_duration_seconds",
            budget: .navigation,
            component: "flow",
            action: "route",
            selection: ("phase", "total")
        )
    ]

    /// The component and the action of a signal; nil if the budget does not include it.
    func operation(of family: SignalFamily, _ values: [String]) -> (component: String, action: String)? {
        guard family.name == self.family, family.kind == .seconds else { return nil }
        let labels = Dictionary(zip(family.labels, values)) { first, _ in first }
        guard labels[selection.label] == selection.value, let component = labels[component] else { return nil }
        return (component, labels[action] ?? "")
    }
}

extension BudgetMonitor {
    /// Checks the durations of a signal that `histogram` records; nil if no budget includes the signal.
    func check(_ family: SignalFamily, _ values: [String], _ histogram: ExponentialHistogram) -> BudgetCheck? {
        for budget in SignalBudget.all {
            guard let (component, action) = budget.operation(of: family, values),
                var found = check(budget.budget, component, histogram)
            else { continue }
            found.action = action
            return found
        }
        return nil
    }
}
