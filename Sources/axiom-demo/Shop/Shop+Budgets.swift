// SPDX-License-Identifier: Apache-2.0

internal import AxiomInstrumentation

extension Shop {
    /// The performance budgets that the shop confirms: those of its components.
    ///
    /// The limits of the specification are for work in memory. The shop's clients wait for a server or the disk, and so do
    /// the actions and the appearance of its screens: their limit is 300 ms. A picture is drawn by the main actor, which a
    /// hundred shoppers share: 50 ms. What depends on the scheduler of a busy machine alone, such as the start of a task,
    /// stays a default.
    nonisolated static let budgets: [BudgetRule] =
        waiting.map { .override($0, limit: .milliseconds(300)) }
        + [.override(.rendering, limit: .milliseconds(50))]
        + asSpecified.map { .confirm($0) }

    private nonisolated static let waiting: [PerformanceBudget.ID] = [.clientAction, .contextAction, .lifecycle]

    private nonisolated static let asSpecified: [PerformanceBudget.ID] = [
        .capabilityCheckFirst, .capabilityCheckCached, .capabilityInvalidation, .availabilityChange, .contextCreation,
        .coldStart, .warmStart, .clientMemory, .stateMemory, .contextMemory, .baseMemory, .leakPrevention,
    ]
}
