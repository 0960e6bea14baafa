// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience
internal import AxiomStorage

/// What an operator decides about the shop: its circuit breakers, its performance budgets, and the policy of its catalogue.
enum ShopRules {
    static let clients: [any Component.Type] = [
        ProfileClient.self, UserClient.self, CartClient.self, PricingClient.self, ActivityClient.self,
    ]

    static let contexts: [any Component.Type] = [
        AppNavigationContext.self, HomeContext.self, ProfileContext.self, CheckoutContext.self, UserContext.self,
        CartContext.self, PricingContext.self,
    ]

    /// The circuit breakers of the clients that use the server. The actions of the cart do not: its breaker only counts.
    static let breakers: [BreakerRule] = [
        .client(ProfileClient.self, breaker),
        .client(UserClient.self, breaker),
        .client(PricingClient.self, breaker),
        .client(ActivityClient.self, breaker),
    ]

    /// Opens when one call in ten fails: for 1.5 s, then 3 s, then 4 s, until five calls in a row succeed.
    ///
    /// The threshold is low because a part of a client's actions does not use the server and always succeeds. The times
    /// are short because a person watches the demo for a minute.
    private static let breaker = CircuitBreakerConfiguration(
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
    /// the actions of its contexts, a transition that ends one, and the end of a capability: 1 s, below the deadline of the
    /// network. All shoppers share the main actor: 300 ms for a phase, and 50 ms to render a screen. A cart has a few lines:
    /// 64 kB. Budgets that depend on the machine's scheduler alone, such as the start of a task, keep their defaults.
    static let budgets: [BudgetRule] =
        clients.map { .override(.clientAction, for: $0.componentName, limit: .seconds(1)) }
        + contexts.map { .override(.contextAction, for: $0.componentName, limit: .seconds(1)) }
        + [HTTPNetwork.componentName, SQLiteStorage.componentName, BackgroundTasks.componentName].map {
            .override(.capabilityInvalidation, for: $0, limit: .seconds(1))
        }
        + [
            .override(.lifecycle, for: AppNavigationContext.componentName, limit: .seconds(1)),
            .override(.lifecycle, limit: .milliseconds(300)),
            .override(.rendering, limit: .milliseconds(50)),
            .override(.navigation, limit: .seconds(1)),
            .override(.capabilityCheckFirst, for: SQLiteStorage.componentName, limit: .seconds(1)),
            .override(.stateMemory, for: CartClient.componentName, bytes: 65_536),
            baseMemory,
        ]
        + asSpecified.map { .confirm($0) }

    /// A debug build is larger: with coverage it takes 10 MB more than a release build before it does anything.
    private static var baseMemory: BudgetRule {
        #if DEBUG
        .override(.baseMemory, bytes: 64 << 20)
        #else
        .confirm(.baseMemory)
        #endif
    }

    private static let asSpecified: [PerformanceBudget.ID] = [
        .capabilityCheckFirst, .capabilityCheckCached, .capabilityInvalidation, .availabilityChange, .contextCreation,
        .coldStart, .warmStart, .clientMemory, .stateMemory, .contextMemory, .leakPrevention,
    ]

    /// The protection of requests for products.
    ///
    /// - Throws: `ResilienceError` for invalid settings, which these are not.
    static func cataloguePolicy(clock: TimeSource) throws -> Policy {
        let budget = try RetryBudget.tokenRatio(maximumTokens: 20)
        return try Policy("catalogue") {
            try Retry("catalogue", clock: clock) {
                $0.maximumAttempts = 2
                $0.budget = budget
            }
            try Bulkhead("catalogue", clock: clock) {
                $0.limit = 8
                $0.queueLimit = 10_000
            }
            try Timeout("catalogue", .seconds(5), clock: clock)
        }
    }
}
