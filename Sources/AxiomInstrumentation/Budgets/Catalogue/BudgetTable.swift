// SPDX-License-Identifier: Apache-2.0

/// All budgets of a telemetry and their limits: those of the specification, with an application's rules applied.
struct BudgetTable: Sendable {
    /// In the order of the specification's tables, followed by the application's own. Includes removed budgets.
    private var all = PerformanceBudget.specification
    /// The index of a budget in `budgets`, or in `all` until the rules are applied.
    private var indices: [PerformanceBudget.ID: Int] = [:]
    /// The budgets that are not removed for every component.
    private(set) var budgets: [PerformanceBudget] = []
    /// The limits of single components or actions. Limits that apply everywhere are in `all`.
    private(set) var limits: [BudgetScope: BudgetLimit] = [:]
    /// The standing that the rules give to budgets, including overrides and additions.
    private(set) var standings: [BudgetSelection: BudgetStanding] = [:]

    private static let withActions: Set<PerformanceBudget.ID> = [.clientAction, .contextAction]

    /// - Throws: ``TelemetryError`` that names the rule, its fault and the remedy.
    init(_ rules: [BudgetRule] = []) throws(TelemetryError) {
        for (index, budget) in all.enumerated() { indices[budget.id] = index }
        var seen: Set<BudgetScope> = []
        // Additions first, so that the order of the rules does not matter.
        for case .addition(let budget) in rules.map(\.change) { try add(budget) }
        for case .limit(let scope, let limit) in rules.map(\.change) {
            guard seen.insert(scope).inserted else { throw .twoLimits("\(scope)") }
            try override(scope, limit)
        }
        for case .standing(let selection, let standing) in rules.map(\.change) { try record(standing, selection) }
        let components = Set(standings.keys.map(\.component)).union([nil])
        budgets = all.filter { budget in
            components.contains { standing(budget.id, $0) != .removed }
        }
        indices = Dictionary(uniqueKeysWithValues: budgets.enumerated().map { ($1.id, $0) })
    }

    /// The budget of this name; nil if it does not exist or is removed for every component.
    func budget(_ id: PerformanceBudget.ID) -> PerformanceBudget? {
        indices[id].map { budgets[$0] }
    }

    /// The standing of a budget for a component by the most specific rule; nil stands for components that no rule
    /// names.
    func standing(_ id: PerformanceBudget.ID, _ component: String?) -> BudgetStanding {
        let selections = [
            BudgetSelection(id: id, component: component), BudgetSelection(id: id, component: nil),
            BudgetSelection(id: nil, component: component), BudgetSelection(id: nil, component: nil),
        ]
        return selections.lazy.compactMap { standings[$0] }.first ?? .byDefault
    }

    /// Whether a rule confirms the budget, for all components or for some.
    func isConfirmed(_ id: PerformanceBudget.ID) -> Bool {
        standings.contains { ($0.key.id ?? id) == id && $0.value == .confirmed }
    }

    /// The component limits that differ from the budget's, without those of single actions.
    func componentLimits(_ id: PerformanceBudget.ID) -> [(component: String, limit: BudgetLimit)] {
        let own = limits.compactMap { scope, limit -> (String, BudgetLimit)? in
            guard scope.id == id, scope.action == nil, let component = scope.component,
                standing(id, component) != .removed
            else { return nil }
            return (component, limit)
        }
        return own.sorted { $0.0 < $1.0 }
    }

    /// The effective limit, in nanoseconds or bytes: that of the action, else of the component, else of the budget.
    func limit(_ budget: PerformanceBudget, _ component: String, action: String? = nil) -> Int64 {
        let forAction = action.flatMap { limits[BudgetScope(id: budget.id, component: component, action: $0)] }
        let forComponent = limits[BudgetScope(id: budget.id, component: component, action: nil)]
        return (forAction ?? forComponent ?? budget.limit).value
    }

    private mutating func add(_ budget: PerformanceBudget) throws(TelemetryError) {
        let name = budget.id.rawValue
        guard name.wholeMatch(of: /[a-z][a-z0-9_]*/) != nil else {
            throw .invalidBudget(
                "The name \"\(name)\" of a budget is not in snake case.",
                "Use lower-case letters, digits and underscores, a letter first."
            )
        }
        guard indices[budget.id] == nil else {
            throw .invalidBudget(
                "There is a budget \(name) already.",
                "Change it with .override(\"\(name)\", …), or choose another name."
            )
        }
        guard budget.objective > 0, budget.objective < 1 else {
            throw .invalidBudget(
                "The objective of the budget \(name) is \(budget.objective).",
                "Give a share between 0 and 1, such as 0.99; at 1 there would be nothing to burn."
            )
        }
        try check(budget.limit, "\(name)")
        indices[budget.id] = all.count
        all.append(budget)
        try record(.confirmed, BudgetSelection(id: budget.id, component: nil))
    }

    /// - Throws: ``TelemetryError`` if the budget does not exist, or if rules both confirm and remove the same
    ///   selection.
    private mutating func record(_ standing: BudgetStanding, _ selection: BudgetSelection) throws(TelemetryError) {
        if let id = selection.id, indices[id] == nil {
            throw .unknownBudget(id.rawValue, known: all.map(\.id.rawValue))
        }
        guard standings.updateValue(standing, forKey: selection).map({ $0 == standing }) ?? true else {
            throw .invalidBudget(
                "The rules remove \(selection), and also add, override or confirm it.",
                "Leave out one of the two rules."
            )
        }
    }

    private mutating func override(_ scope: BudgetScope, _ limit: BudgetLimit) throws(TelemetryError) {
        guard let index = indices[scope.id] else {
            throw .unknownBudget(scope.id.rawValue, known: all.map(\.id.rawValue))
        }
        let budget = all[index]
        guard budget.limit.unit == limit.unit else {
            let isTime = budget.limit.unit == .time
            throw .invalidBudget(
                "The budget \(scope) has the limit \(budget.limit), and is given \(limit).",
                isTime ? "Give a duration." : budget.limit.unit == .bytes ? "Give bytes." : "Leave it as it is."
            )
        }
        guard scope.action == nil || scope.component != nil && Self.withActions.contains(scope.id) else {
            throw .invalidBudget(
                "The limit of \(scope) is for one action.",
                "Name the component too; only client_action and context_action are measured by action."
            )
        }
        try check(limit, "\(scope)")
        if scope.component == nil { all[index].limit = limit } else { limits[scope] = limit }
        try record(.confirmed, BudgetSelection(id: scope.id, component: scope.component))
    }

    private func check(_ limit: BudgetLimit, _ name: String) throws(TelemetryError) {
        guard limit.value > 0 else {
            throw .invalidBudget("The limit of \(name) is \(limit).", "Give more than 0.")
        }
    }
}
