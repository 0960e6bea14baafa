// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomInstrumentation

extension Shop {
    /// The performance budgets that the shop confirms: those of its components.
    ///
    /// The limits of the specification are for work in memory. The shop's clients wait for a server and the disk, and so do
    /// the actions of its screens: each has a limit of 1 s, below the time after which the network gives up. A screen that
    /// appears reads from the disk: 300 ms. A picture is drawn by the main actor, which all shoppers share: 50 ms. A cart
    /// has a few lines: 64 kB. What depends on the scheduler of the machine alone, such as the start of a task, stays a
    /// default.
    nonisolated static let budgets: [BudgetRule] =
        clients.map { .override(.clientAction, for: $0.componentName, limit: .seconds(1)) }
        + contexts.map { .override(.contextAction, for: $0.componentName, limit: .seconds(1)) }
        + [
            .override(.lifecycle, limit: .milliseconds(300)), .override(.rendering, limit: .milliseconds(50)),
            .override(.stateMemory, for: CartClient.componentName, bytes: 65_536),
        ] + asSpecified.map { .confirm($0) }

    private nonisolated static let asSpecified: [PerformanceBudget.ID] = [
        .capabilityCheckFirst, .capabilityCheckCached, .capabilityInvalidation, .availabilityChange, .contextCreation,
        .coldStart, .warmStart, .clientMemory, .stateMemory, .contextMemory, .baseMemory, .leakPrevention,
    ]
}
