// SPDX-License-Identifier: Apache-2.0

/// Confirms, changes, adds or removes a performance budget.
///
/// ```swift
/// let telemetry = try Telemetry(budgets: [
///     .confirm("rendering"),
///     .override("client_action", for: "PaymentClient", limit: .milliseconds(50)),
///     .override("client_action", for: "PaymentClient", action: "refund", limit: .milliseconds(200)),
///     .add(PerformanceBudget("catalogue_sync", "The catalogue is fetched", limit: .seconds(2), statistic: .p95)),
///     .remove("task_startup"),
/// ])
/// ```
/// The budgets of the specification apply by default: they are measured and reported, but their violations are not
/// logged. A budget is *confirmed* when the application adds, overrides or confirms it. Violations of a confirmed
/// budget are passed to `onBudgetViolation`, appear as a problem on the dashboard, and trigger the alerts.
///
/// The most specific rule applies. For limits: that of the action, then of the component, then of the budget. For
/// confirming and removing: a rule that names a budget and a component, then one that names a budget, then one that
/// names a component, then one that names neither. The order of the rules does not matter.
public struct BudgetRule: Sendable, Hashable {
    enum Change: Hashable {
        case addition(PerformanceBudget)
        case limit(BudgetScope, BudgetLimit)
        case standing(BudgetSelection, BudgetStanding)
    }

    let change: Change

    /// Confirms budgets with their current limits.
    ///
    /// - Parameters:
    ///   - id: The name of the budget; nil for all budgets.
    ///   - component: The component's name, as it labels metrics; nil for all components.
    public static func confirm(_ id: PerformanceBudget.ID? = nil, for component: String? = nil) -> BudgetRule {
        BudgetRule(change: .standing(BudgetSelection(id: id, component: component), .confirmed))
    }

    /// Removes budgets: their operations are not checked, and have no series and no row in the report.
    ///
    /// - Parameters:
    ///   - id: The name of the budget; nil for all budgets.
    ///   - component: The component's name, as it labels metrics; nil for all components.
    public static func remove(_ id: PerformanceBudget.ID? = nil, for component: String? = nil) -> BudgetRule {
        BudgetRule(change: .standing(BudgetSelection(id: id, component: component), .removed))
    }

    /// Adds an application's own budget, which is confirmed.
    public static func add(_ budget: PerformanceBudget) -> BudgetRule {
        BudgetRule(change: .addition(budget))
    }

    /// Changes the limit of a budget of time: everywhere, for one component, or for one action of it. Confirms the
    /// budget there. A limit for an action confirms the budget for its component, because checks are counted by
    /// component.
    ///
    /// - Parameters:
    ///   - id: The name of the budget.
    ///   - component: The component's name, as it labels metrics; nil for all.
    ///   - action: The name of the action's case; nil for all. Only for `client_action` and `context_action`.
    ///   - limit: More than 0.
    public static func override(
        _ id: PerformanceBudget.ID,
        for component: String? = nil,
        action: String? = nil,
        limit: Duration
    ) -> BudgetRule {
        let scope = BudgetScope(id: id, component: component, action: action)
        return BudgetRule(change: .limit(scope, .duration(limit)))
    }

    /// Changes the limit of a budget of memory: everywhere, or for one component. Confirms the budget there.
    ///
    /// - Parameters:
    ///   - id: The name of the budget.
    ///   - component: The component's name, as it labels metrics; nil for all.
    ///   - bytes: More than 0.
    public static func override(
        _ id: PerformanceBudget.ID,
        for component: String? = nil,
        bytes: Int
    ) -> BudgetRule {
        let scope = BudgetScope(id: id, component: component, action: nil)
        return BudgetRule(change: .limit(scope, .bytes(bytes)))
    }
}

struct BudgetScope: Hashable, Sendable, CustomStringConvertible {
    let id: PerformanceBudget.ID
    let component: String?
    let action: String?

    var description: String {
        let name = [component, action].compactMap(\.self).joined(separator: ".")
        return name.isEmpty ? "\(id)" : "\(id) for \(name)"
    }
}

/// The budgets that a rule confirms or removes.
struct BudgetSelection: Hashable, Sendable, CustomStringConvertible {
    /// Nil for all budgets.
    let id: PerformanceBudget.ID?
    /// Nil for all components.
    let component: String?

    var description: String {
        let budgets = id?.rawValue ?? "all budgets"
        return component.map { "\(budgets) for \($0)" } ?? budgets
    }
}

/// How the application's rules treat a budget.
enum BudgetStanding: Hashable, Sendable {
    /// No rule: the limit is that of the specification.
    case byDefault
    case confirmed
    case removed
}
