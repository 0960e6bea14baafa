// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience

// The circuit breakers, the performance budgets and the storage policy of the shop.
extension Shop {
    /// The circuit breakers of the clients that use the server. The cart does not: its breaker only counts.
    nonisolated static let breakers: [BreakerRule] = [
        .client(ProfileClient.self, breaker),
        .client(NotificationClient.self, breaker),
        .client(UserClient.self, breaker),
        .client(PricingClient.self, breaker),
        .client(PaymentClient.self, breaker),
        .client(ActivityClient.self, breaker),
    ]

    /// Opens when one call in ten fails: for 1.5 s, then 3 s, then 4 s, until five calls in a row succeed.
    ///
    /// The threshold is low because a part of a client's actions does not use the server and always succeeds. The times
    /// are short because a person watches the demo for a minute.
    private nonisolated static let breaker = CircuitBreakerConfiguration(
        window: .time(.seconds(2)),
        minimumCalls: 4,
        failureRateThreshold: 0.1,
        openDuration: .milliseconds(1_500),
        openDurationGrowth: 2,
        openDurationCap: .seconds(4),
        halfOpenPermits: 5,
        halfOpenTimeLimit: .seconds(3)
    )

    /// The performance budgets of the shop's components.
    ///
    /// The limits of the specification are for work in memory. The shop's clients wait for a server and the disk, and so do
    /// the actions of its contexts: each has a limit of 1 s, below the deadline of the network. A context that appears reads
    /// from the disk: 300 ms. The main actor, which all shoppers share, renders a screen: 50 ms. A cart has a few lines:
    /// 64 kB. Budgets that depend on the machine's scheduler alone, such as the start of a task, keep their defaults.
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

    /// The protection of each access to the disk: a folder on a network may be unreachable for a moment, and may be slow.
    ///
    /// - Throws: `ResilienceError` for invalid settings, which these are not.
    nonisolated static func storagePolicy(clock: TimeSource) throws -> Policy {
        let budget = try RetryBudget.tokenRatio(maximumTokens: 20)
        return try Policy("storage") {
            try Retry("storage", clock: clock) {
                $0.maximumAttempts = 2
                $0.budget = budget
            }
            try Bulkhead("storage", clock: clock) {
                $0.limit = 8
                $0.queueLimit = 10_000
            }
            try Timeout("storage", .seconds(30), clock: clock)
        }
    }
}
