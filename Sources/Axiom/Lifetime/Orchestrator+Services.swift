// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

extension Orchestrator {
    /// Provides a service: a value that capabilities and clients need and that is no component, such as a clock, a
    /// formatter or a price calculator.
    ///
    /// ```swift
    /// orchestrator.provide(Prices.self) { Prices(currency: "EUR") }
    /// orchestrator.register(CartClient.self) { try CartClient($0, prices: $0.service(Prices.self)) }
    /// ```
    /// ``CapabilityScope`` and ``ClientScope`` resolve services. A context has no access to them: it depends on clients.
    ///
    /// - Parameters:
    ///   - type: The type under which it is resolved, its own or a protocol, such as `(any Calendar).self`.
    ///   - lifetime: Whether all users share one instance for each run.
    ///   - make: Makes the service. Runs when the service is first resolved.
    public func provide<S: Sendable>(
        _ type: S.Type,
        _ lifetime: ServiceLifetime = .singleton,
        _ make: @escaping @Sendable () throws -> S
    ) {
        add(ServicePlan(type, lifetime) { _ in try make() }, replacing: false)
    }

    /// Provides a service that requires other services, which its scope resolves.
    public func provide<S: Sendable>(
        _ type: S.Type,
        _ lifetime: ServiceLifetime = .singleton,
        _ make: @escaping @Sendable (borrowing ServiceScope) throws -> S
    ) {
        add(ServicePlan(type, lifetime, make), replacing: false)
    }

    /// Replaces the service that is resolved as `type`, for tests and previews.
    public func override<S: Sendable>(service type: S.Type, with double: S) {
        add(ServicePlan(type, .singleton) { _ in double }, replacing: true)
    }

    private func add(_ plan: ServicePlan, replacing: Bool) {
        guard life.run != nil else { return blueprint.add(plan, replacing: replacing) }
        let late = CompositionError(
            .wrongPhase,
            "The service \(plan.name) was provided after start().",
            "Provide every service before start(), or after shutdown()."
        )
        Task.onMainActor { await end(late, in: identity.descriptor) }
    }
}
