// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

// `start()` throws all mistakes in registration together: registration needs no `try`, and all mistakes are reported at
// once.
extension Orchestrator {
    /// Registers a capability under its own type.
    ///
    /// - Parameters:
    ///   - requirement: Whether the application can start without it.
    ///   - make: Makes a new instance, at the start and after each change of permission or availability.
    public func register<C: Capability>(
        _ type: C.Type,
        requirement: CapabilityRequirement = .required,
        _ make: @escaping @Sendable (borrowing CapabilityScope) throws -> C
    ) {
        add(type, as: type, requirement, replacing: false, make)
    }

    /// Registers a capability under a protocol, so that its users do not depend on its type.
    ///
    /// - Parameters:
    ///   - exposed: The type under which it is resolved, such as `(any Network).self`. `start()` throws if `C` does not
    ///     conform.
    ///   - requirement: Whether the application can start without it.
    ///   - make: Makes a new instance, at the start and after each change of permission or availability.
    public func register<C: Capability, Exposed: Sendable>(
        _ type: C.Type,
        as exposed: Exposed.Type,
        requirement: CapabilityRequirement = .required,
        _ make: @escaping @Sendable (borrowing CapabilityScope) throws -> C
    ) {
        add(type, as: exposed, requirement, replacing: false, make)
    }

    /// Registers a client. `start()` makes the only instance.
    public func register<C: Client & Component>(
        _ type: C.Type,
        _ make: @escaping @Sendable (borrowing ClientScope) throws -> C
    ) {
        check(C.StateType.self, "the state", of: type)
        add(
            clientPlan(type, state: (ObjectIdentifier(C.StateType.self), String(describing: C.StateType.self))) {
                component,
                factory in
                let (client, stores) = try factory.make(component, make)
                let binding = ClientBinding<C, StatefulView<C>>(client, stores, factory.environment)
                return factory.install(binding)
            },
            replacing: false
        )
    }

    /// Registers a stateless client. `start()` makes the only instance.
    public func register<C: StatelessClient & Component>(
        _ type: C.Type,
        _ make: @escaping @Sendable (borrowing ClientScope) throws -> C
    ) {
        add(
            clientPlan(type, state: nil) { component, factory in
                let (client, stores) = try factory.make(component, make)
                let binding = ClientBinding<C, StatelessView<C>>(client, stores, factory.environment)
                return factory.install(binding)
            },
            replacing: false
        )
    }

    /// Registers a context. A new instance is made for each presentation and for each context that resolves it.
    ///
    /// - Parameters:
    ///   - recursive: Whether a context of this type may contain others of its type, as in a tree of comments. Contexts
    ///     of all types nest up to 256 deep.
    ///   - make: Makes a new instance from its scope and its input.
    public func register<C: Context>(
        _ type: C.Type,
        recursive: Bool = false,
        _ make: @escaping @MainActor (borrowing ContextScope, C.Input) throws -> C
    ) {
        add(contextPlan(type, recursive, make), replacing: false)
    }

    /// Registers a context that takes no input.
    public func register<C: Context>(
        _ type: C.Type,
        recursive: Bool = false,
        _ make: @escaping @MainActor (borrowing ContextScope) throws -> C
    ) where C.Input == Void {
        add(contextPlan(type, recursive) { scope, _ in try make(scope) }, replacing: false)
    }

    /// Replaces the capability that is resolved as `exposed`, for tests and previews.
    public func override<C: Capability, Exposed: Sendable>(
        _ exposed: Exposed.Type,
        requirement: CapabilityRequirement = .required,
        with make: @escaping @Sendable (borrowing CapabilityScope) throws -> C
    ) {
        add(C.self, as: exposed, requirement, replacing: true, make)
    }

    /// Replaces a client by a test double, for tests and previews. The double is observed under the client's name, and
    /// the client's circuit breaker applies to it.
    public func override<C: Client & Component, Double: Client>(_ type: C.Type, with double: Double)
    where Double.StateType == C.StateType, Double.ActionType == C.ActionType {
        add(
            clientPlan(type, state: (ObjectIdentifier(C.StateType.self), String(describing: C.StateType.self))) {
                component,
                factory in
                let stores = ClientStores(component, nil)
                let binding = ClientBinding<C, StatefulView<Double>>(double, stores, factory.environment)
                return factory.install(binding)
            },
            replacing: true
        )
    }

    /// Replaces a stateless client by a test double, for tests and previews. It is observed like the double of a client
    /// with state.
    public func override<C: StatelessClient & Component, Double: StatelessClient>(_ type: C.Type, with double: Double)
    where Double.ActionType == C.ActionType {
        add(
            clientPlan(type, state: nil) { component, factory in
                let stores = ClientStores(component, nil)
                let binding = ClientBinding<C, StatelessView<Double>>(double, stores, factory.environment)
                return factory.install(binding)
            },
            replacing: true
        )
    }

    private func add<C: Capability, Exposed: Sendable>(
        _ type: C.Type,
        as exposed: Exposed.Type,
        _ requirement: CapabilityRequirement,
        replacing: Bool,
        _ make: @escaping @Sendable (borrowing CapabilityScope) throws -> C
    ) {
        let name = ComponentNames.Request(type, as: ObjectIdentifier(exposed), preferred: C.componentName)
        guard mayRegister(name) else { return }
        let plan = Blueprint.CapabilityPlan(type: name) {
            [settings] component, port, resolver in
            let node = TypedCapabilityNode<C, Exposed>(
                component,
                requirement: requirement,
                port: port,
                settings: settings,
                factory: make
            )
            resolver.add(node.slot, component)
            return node
        }
        blueprint.add(plan, replacing: replacing)
    }

    /// Records a state or an action that is or contains a class instance as a mistake, unless the registration comes
    /// too late and is refused.
    func check<V, C>(_ value: V.Type, _ role: String, of component: C.Type) {
        guard life.run == nil else { return }
        blueprint.note(.checking(value: value, as: role, of: ComponentNames.qualifiedName(of: component)))
        blueprint.note(.checking(contentsOf: value, as: role, of: ComponentNames.qualifiedName(of: component)))
    }

    private func clientPlan<C: StatelessClient & Component>(
        _ type: C.Type,
        state: (ObjectIdentifier, String)?,
        _ make: @escaping @MainActor (ComponentDescriptor, ClientFactory) throws -> RegisteredClient
    ) -> Blueprint.ClientPlan {
        check(C.ActionType.self, "the action", of: type)
        return Blueprint.ClientPlan(
            type: ComponentNames.Request(type, preferred: C.componentName),
            state: state,
            make: make,
            fail: { component, registry, error in registry.addFailure(type, component, error) }
        )
    }

    private func add(_ plan: Blueprint.ClientPlan, replacing: Bool) {
        if mayRegister(plan.type) { blueprint.add(plan, replacing: replacing) }
    }

    private func contextPlan<C: Context>(
        _ type: C.Type,
        _ recursive: Bool,
        _ make: @escaping ContextFactory.Recipe<C>.Make
    ) -> Blueprint.ContextPlan {
        check(C.ActionType.self, "the action", of: type)
        let install: @MainActor (ComponentDescriptor, ContextFactory, InstrumentationPort) -> Void = {
            component,
            factory,
            port in
            let reporter = port.observer?.contextProbe(for: component, of: C.self).map {
                ContextReporter($0, spans: port.spanProbe(for: component, actions: C.ActionType.caseNames))
            }
            let gate = port.gate(of: component, C.self)
            factory.add(
                ContextFactory.Recipe<C>(component, isRecursive: recursive, reporter: reporter, gate: gate, make: make)
            )
        }
        return Blueprint.ContextPlan(
            type: ComponentNames.Request(type, preferred: C.componentName),
            install: install,
            makeWithoutInput: (() as? C.Input).map { ContextSample(type, $0).make }
        )
    }

    private func add(_ plan: Blueprint.ContextPlan, replacing: Bool) {
        if mayRegister(plan.type) { blueprint.add(plan, replacing: replacing) }
    }

    /// Whether the application does not run. A registration while it runs is too late: its error ends at the boundary
    /// of the orchestrator, and is also thrown when a context of exactly this type is mounted.
    func mayRegister(_ type: ComponentNames.Request) -> Bool {
        guard let run = life.run else { return true }
        let late = CompositionError(
            .wrongPhase,
            "\(type.qualified) was registered after start().",
            "Register every component before start(), or after shutdown(): what is known in advance can be checked and "
                + "measured."
        )
        run.lateRegistrations[type.key] = late
        Task.onMainActor { await end(late, in: identity.descriptor) }
        return false
    }
}
