// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

extension Shop {
    /// The performance budgets that the shop confirms.
    nonisolated static let budgets: [BudgetRule] = [.confirm()]
}
