// SPDX-License-Identifier: Apache-2.0

public import AxiomBase

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

    /// The time source of lifetimes, latencies and limits. What belongs to the application and measures or waits takes it
    /// too, so that a manual time of a test applies to all of it.
    public nonisolated var clock: TimeSource { port.clock }

    /// The orchestrator as a component, for errors and turns.
    package var component: ComponentDescriptor { identity.descriptor }

    /// Adds a part of another module. It may be added at any time, also while the application runs.
    ///
    /// - Throws: ``CompositionError`` with all mistakes of the part if the application runs. Otherwise `start()` throws
    ///   them together with all others.
    package func add(_ part: any OrchestratorExtension, under key: Any.Type) throws(CompositionError) {
        if life.run != nil, let mistake = CompositionError.combining(part.mistakes(contexts: blueprint.contextTypes)) {
            throw mistake
        }
        extensions.add(part, under: key)
    }
}

extension ExtensionTable {
    /// The mistakes of all parts.
    func mistakes(in blueprint: Blueprint) -> [CompositionError] {
        let contexts = blueprint.contextTypes
        return all.flatMap { $0.mistakes(contexts: contexts) }
    }
}

extension Blueprint {
    /// The registered types of contexts.
    fileprivate var contextTypes: Set<ObjectIdentifier> { Set(contexts.map(\.type.type)) }
}

// Actions pass, from the outside: the middleware of all clients, that of the client, the validation of the action, the
// circuit breakers, the client. Within each group, the middleware that was used first is the outermost.
extension Orchestrator {
    /// Puts a middleware around the actions of all clients. It sees which action runs, and never its payload. It can
    /// measure, delay or refuse an action, and cannot change it.
    ///
    /// Call it before ``start()``, which builds the chain of each client. A client without middleware pays nothing.
    public func use(_ middleware: some Middleware<ActionCall, Void>) {
        guard mayUse(middleware) else { return }
        blueprint.middleware.add(middleware)
    }

    /// Puts a middleware around the actions of one client, inside that of all clients. It sees no payload.
    ///
    /// - Parameter client: The type that the client is registered as. ``start()`` throws if it is not registered.
    public func use<C: StatelessClient>(_ middleware: some Middleware<ActionCall, Void>, for client: C.Type) {
        guard mayUse(middleware) else { return }
        blueprint.middleware.add(middleware, calls: client)
    }

    /// Puts a middleware around the actions of one client, inside all other middleware. It sees each action and its
    /// answer, and may pass on another one.
    ///
    /// - Parameter client: The type that the client is registered as. ``start()`` throws if it is not registered.
    public func use<C: StatelessClient, M: Middleware>(_ middleware: M, for client: C.Type)
    where M.Input == C.ActionType, M.Output == C.ActionType.Answer {
        guard mayUse(middleware) else { return }
        blueprint.middleware.add(middleware, actions: client)
    }

    /// Whether the application does not run. Middleware that comes while it runs is too late: the error ends at the
    /// boundary of the orchestrator.
    private func mayUse<M: Middleware>(_ middleware: M) -> Bool {
        guard life.run != nil else { return true }
        let late = CompositionError(
            .wrongPhase,
            "The middleware \(M.self) was used after start().",
            "Use every middleware before start(), or after shutdown(): start() builds the chains."
        )
        Task.onMainActor { await end(late, in: identity.descriptor) }
        return false
    }
}
