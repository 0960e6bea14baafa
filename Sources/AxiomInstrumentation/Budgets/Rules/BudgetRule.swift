// SPDX-License-Identifier: Apache-2.0

/// Adds a budget to those of the specification, or changes one.
///
/// ```swift
/// let telemetry = try Telemetry(budgets: [
///     .override("client_action", for: "PaymentClient", limit: .milliseconds(50)),
///     .override("client_action", for: "PaymentClient", action: "refund", limit: .milliseconds(200)),
///     .add(PerformanceBudget("catalogue_sync", "The catalogue is fetched", limit: .seconds(2), statistic: .p95)),
/// ])
/// ```
/// Of several limits the one counts that says most: that of an action, else that of the component, else that of the
/// budget.
public struct BudgetRule: Sendable, Hashable {
    enum Change: Hashable {
        case addition(PerformanceBudget)
        case limit(BudgetScope, BudgetLimit)
    }

    let change: Change

    /// Adds a budget of the application's own.
    public static func add(_ budget: PerformanceBudget) -> BudgetRule {
        BudgetRule(change: .addition(budget))
    }

    /// Changes the limit of a budget of time: everywhere, for one component, or for one action of it.
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

    /// Changes the limit of a budget of memory: everywhere, or for one component.
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

/// What a limit is for.
struct BudgetScope: Hashable, Sendable, CustomStringConvertible {
    let id: PerformanceBudget.ID
    let component: String?
    let action: String?

    var description: String {
        let place = [component, action].compactMap(\.self).joined(separator: ".")
        return place.isEmpty ? "\(id)" : "\(id) for \(place)"
    }
}
