// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomInstrumentation
internal import AxiomResilience
internal import AxiomStorage
internal import Foundation
internal import Logging
internal import ShopLoad

/// The composition of the shop: registers the factory of each component.
///
/// ```
/// AppNavigation ── Home ────── Profile, Notification
///               └─ Settings ── Profile, Notification
/// Checkout ── User ──── Profile
///          ├─ Cart ──── Pricing
///          └─ Payment ─ Pricing
/// ```
/// `ledger.tracked`, `ledger.counted` and `CountedNetwork` belong to the check of the demo's metrics against its ledger. An
/// application registers its components directly:
///
///     orchestrator.register(CartClient.self) { try CartClient($0) }
///     orchestrator.register(CartContext.self) { try CartContext($0, client: $0.client(CartClient.self)) }
@MainActor
struct Shop {
    let ledger: Ledger
    /// The folder of the database.
    let folder: String
    /// The port of the shop's server on this machine.
    let serverPort: Int
    /// Protects each access of the response cache to the disk.
    let storagePolicy: Policy
    let logger: Logger
    let clock: TimeSource

    nonisolated static let clients: [any Component.Type] = [
        ProfileClient.self, NotificationClient.self, UserClient.self, CartClient.self, PricingClient.self,
        PaymentClient.self, ActivityClient.self,
    ]

    nonisolated static let contexts: [any Component.Type] = [
        AppNavigationContext.self, HomeContext.self, SettingsContext.self, ProfileContext.self,
        NotificationContext.self, CheckoutContext.self, UserContext.self, CartContext.self, PricingContext.self,
        PaymentContext.self,
    ]

    private nonisolated static let capabilities: [any Component.Type] = [
        HTTPNetwork.self, SQLiteStorage.self, ResponseCache.self, BackgroundTasks.self,
    ]

    /// A ledger that lists each component of the shop.
    nonisolated static func ledger() -> Ledger {
        Ledger(
            clients: clients.map { $0.componentName },
            contexts: contexts.map { $0.componentName },
            capabilities: capabilities.map { $0.componentName }
        )
    }

    /// Registers each component.
    ///
    /// - Throws: `CacheError` for invalid limits, which these are not.
    func register(with orchestrator: Orchestrator) throws {
        registerCapabilities(orchestrator)
        try registerClients(orchestrator)
        registerRoots(orchestrator)
        registerContextsWithClients(orchestrator)
    }

    private func registerCapabilities(_ orchestrator: Orchestrator) {
        let (ledger, folder, port, policy, clock) = (ledger, folder, serverPort, storagePolicy, clock)
        let logger = logger
        orchestrator.register(CountedNetwork.self, as: (any Network).self) {
            ledger.tracked(try CountedNetwork($0, port: port, clock: clock, logger: logger, faults: ledger.faults))
        }
        orchestrator.register(SQLiteStorage.self, as: (any KeyValueStorage).self) {
            let options = StorageOptions(name: "shop", discardablePrefixes: [ResponseCache.prefix + "/"])
            return ledger.tracked(SQLiteStorage($0, path: "\(folder)/shop.db", options: options))
        }
        orchestrator.register(ResponseCache.self) { ledger.tracked(try ResponseCache($0, policy: policy)) }
        orchestrator.register(BackgroundTasks.self) { ledger.tracked(BackgroundTasks($0, clock: clock)) }
    }

    private func registerClients(_ orchestrator: Orchestrator) throws {
        let (ledger, logger, clock) = (ledger, logger, clock)
        let catalogue: Cache<String, Product> = try orchestrator.cache(
            "catalogue",
            limits: CacheLimits(lifetime: .seconds(5), staleLifetime: .seconds(600)),
            clock: clock
        )
        orchestrator.register(ProfileClient.self) { ledger.tracked(try ProfileClient($0)) }
        orchestrator.register(NotificationClient.self) { ledger.tracked(try NotificationClient($0)) }
        orchestrator.register(UserClient.self) { ledger.tracked(try UserClient($0)) }
        orchestrator.register(CartClient.self) { ledger.tracked(try CartClient($0, clock: clock)) }
        orchestrator.register(PricingClient.self) {
            ledger.tracked(try PricingClient($0, catalogue: catalogue))
        }
        orchestrator.register(PaymentClient.self) { ledger.tracked(try PaymentClient($0, logger: logger)) }
        orchestrator.register(ActivityClient.self) { ledger.tracked(try ActivityClient($0)) }
    }

    /// The contexts that depend on other contexts alone, and the one with a stateless client.
    private func registerRoots(_ orchestrator: Orchestrator) {
        let ledger = ledger
        orchestrator.register(AppNavigationContext.self) {
            let activity = ledger.counted(stateless: try $0.client(ActivityClient.self), ActivityClient.self)
            return ledger.tracked(try AppNavigationContext($0, activity: activity))
        }
        orchestrator.register(HomeContext.self) { ledger.tracked(try HomeContext($0)) }
        orchestrator.register(SettingsContext.self) { ledger.tracked(try SettingsContext($0)) }
        orchestrator.register(CheckoutContext.self) { ledger.tracked(try CheckoutContext($0)) }
    }

    private func registerContextsWithClients(_ orchestrator: Orchestrator) {
        let ledger = ledger
        orchestrator.register(ProfileContext.self) {
            let client = ledger.counted(try $0.client(ProfileClient.self), ProfileClient.self)
            return ledger.tracked(try ProfileContext($0, client: client))
        }
        orchestrator.register(NotificationContext.self) {
            let client = ledger.counted(try $0.client(NotificationClient.self), NotificationClient.self)
            return ledger.tracked(try NotificationContext($0, client: client))
        }
        orchestrator.register(UserContext.self) {
            let client = ledger.counted(try $0.client(UserClient.self), UserClient.self)
            return ledger.tracked(try UserContext($0, client: client))
        }
        orchestrator.register(CartContext.self) {
            let client = ledger.counted(try $0.client(CartClient.self), CartClient.self) { action in
                if case .order(let order) = action { ledger.orders.placed(order.id.uuidString) }
            }
            return ledger.tracked(try CartContext($0, client: client))
        }
        orchestrator.register(PricingContext.self) {
            let client = ledger.counted(try $0.client(PricingClient.self), PricingClient.self)
            return ledger.tracked(try PricingContext($0, client: client))
        }
        orchestrator.register(PaymentContext.self) {
            let client = ledger.counted(try $0.client(PaymentClient.self), PaymentClient.self)
            return ledger.tracked(try PaymentContext($0, client: client))
        }
    }
}

// MARK: - Circuit breakers, performance budgets and the storage policy

extension Shop {
    /// The circuit breakers of the clients that use the server. The actions of the cart do not: its breaker only counts.
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
    /// the actions of its contexts: each has a limit of 1 s, below the deadline of the network. Some contexts wait for
    /// them in their life cycle too. The others wait for the main actor, which all shoppers share: 300 ms, and 50 ms to render
    /// a screen. A transition waits for the disappearance of a screen, which may end a call: 1 s. The first check of the
    /// storage opens its database, and some capabilities wait when they are invalidated: 1 s each. A cart has a few lines:
    /// 64 kB. Budgets that depend on the machine's scheduler alone, such as the start of a task, keep their defaults.
    nonisolated static let budgets: [BudgetRule] =
        clients.map { .override(.clientAction, for: $0.componentName, limit: .seconds(1)) }
        + contexts.map { .override(.contextAction, for: $0.componentName, limit: .seconds(1)) }
        + contextsThatWait.map { .override(.lifecycle, for: $0.componentName, limit: .seconds(1)) }
        + [
            .override(.lifecycle, limit: .milliseconds(300)),
            .override(.rendering, limit: .milliseconds(50)),
            .override(.navigation, limit: .seconds(1)),
            .override(.capabilityCheckFirst, for: SQLiteStorage.componentName, limit: .seconds(1)),
            .override(.stateMemory, for: CartClient.componentName, bytes: 65_536),
        ] + endsOfCapabilities + baseMemory + asSpecified.map { .confirm($0) }

    /// Those of the capabilities that close a database or connections, or end tasks, when they are invalidated.
    private nonisolated static let endsOfCapabilities: [BudgetRule] = [
        .override(.capabilityInvalidation, for: HTTPNetwork.componentName, limit: .seconds(1)),
        .override(.capabilityInvalidation, for: SQLiteStorage.componentName, limit: .seconds(1)),
        .override(.capabilityInvalidation, for: BackgroundTasks.componentName, limit: .seconds(1)),
    ]

    /// The contexts that call a client when they appear or go to the background.
    private nonisolated static let contextsThatWait: [any Component.Type] = [
        AppNavigationContext.self, NotificationContext.self,
    ]

    /// A debug build is larger: with coverage it takes 10 MB more than a release build before it does anything.
    private nonisolated static let baseMemory: [BudgetRule] = {
        #if DEBUG
        [.override(.baseMemory, bytes: 64 << 20)]
        #else
        [.confirm(.baseMemory)]
        #endif
    }()

    private nonisolated static let asSpecified: [PerformanceBudget.ID] = [
        .capabilityCheckFirst, .capabilityCheckCached, .capabilityInvalidation, .availabilityChange, .contextCreation,
        .coldStart, .warmStart, .clientMemory, .stateMemory, .contextMemory, .leakPrevention,
    ]

    /// The protection of each access of the response cache to the disk, which may be slow or full for a moment.
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
