// SPDX-License-Identifier: Apache-2.0

/// All rules. A family is a type of the folder Rules; a long rule has a file of its own there.
package enum RuleCatalog {
    package static let all: [Rule] = families.flatMap(\.self).sorted { $0.id.rawValue < $1.id.rawValue }

    private static let families: [[Rule]] = [
        ActionRules.all,
        AmbientRules.all,
        ConcurrencyRules.all,
        DeclarationRules.all,
        DependencyRules.all,
        ErrorRules.all,
        GraphRules.all,
        ImportRules.all,
        RouteRules.all,
        ScopeRules.all,
        StateRules.all,
        SuppressionRules.all,
        UpdateRules.all,
    ]
}
