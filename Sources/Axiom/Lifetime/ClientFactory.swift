// SPDX-License-Identifier: Apache-2.0

/// Makes the clients of one orchestrator and makes them available to contexts.
@MainActor
struct ClientFactory {
    let resolver: CapabilityResolver
    let registry: ClientRegistry
    let port: InstrumentationPort
    /// Receives mistakes with stores; nil: ignore them. Weak, because its boundary may keep a retry that holds this
    /// factory.
    weak var supervisor: Supervisor?
    var owners = StateOwners()
    var middleware = MiddlewareTable()
    /// Receives the hooks of each client that has some.
    var installHooks: @MainActor (ObservationHooks, ComponentDescriptor) -> Void = { _, _ in }

    /// Runs the factory of a client under a new identity.
    ///
    /// Reports a client whose stream belongs to a store that its scope did not make. The client works, but its state is
    /// not observed.
    func make<C: Client & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> C {
        let stores = ClientStores(
            component,
            supervisor,
            guardsQueries: !C.ActionType.queries.isEmpty,
            stale: port.observer?.signal(StateSignals.stale, [component.name])
        )
        let client = try run(factory, component, stores)
        try owners.claim(stores.made, for: component, owning: C.StateType.self)
        if let client = client as? any ObservationAwareClient { watch(client, component) }
        if let store = client.stateStream.storeID, !stores.made.contains(where: { $0.fanout == store }) {
            let error = ClientError.storeOutsideScope(component, "\(C.StateType.self)")
            Task { [supervisor] in
                await supervisor?.report(error, in: component)
            }
        }
        return client
    }

    private func watch<C: ObservationAwareClient>(_ client: C, _ component: ComponentDescriptor) {
        guard let fanout = client.stateStream.storage?.fanout else { return }
        let hooks = ObservationHooks(client, component, fanout, port, supervisor)
        fanout.install(hooks)
        installHooks(hooks, component)
    }

    /// Runs the factory of a stateless client under a new identity.
    func make<C: StatelessClient & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> C {
        let stores = ClientStores(component, supervisor, guardsQueries: !C.ActionType.queries.isEmpty)
        let client = try run(factory, component, stores)
        if let store = stores.made.first {
            throw CompositionError(
                .storeInStatelessClient,
                "The \(component) makes a store of \(store.name), but it is a client without state.",
                "Conform it to Client and name the state as its StateType, or leave the store out."
            )
        }
        return client
    }

    private func run<C: StatelessClient & Component>(
        _ factory: (borrowing ClientScope) throws -> C,
        _ component: ComponentDescriptor,
        _ stores: ClientStores
    ) throws -> C {
        let identity = ComponentIdentity(component, port: port)
        let client = try factory(ClientScope(identity, resolver, stores))
        try CompositionError.check(client, has: identity)
        identity.announce()
        registry.note(identity, stores)
        return client
    }

    /// Makes `client` available to contexts under the type `C`, behind an ``ObservedClient``: one for each context type
    /// whose calls are observed separately. A client whose actions pass other steps is also behind an
    /// ``InterceptedClient``.
    ///
    /// - Parameters:
    ///   - seen: Converts it to the type that contexts get: `any Client` or `any StatelessClient` of the types of `C`.
    ///   - intercepted: The same conversion of a client with an interception.
    func install<C: StatelessClient, Actual: StatelessClient<C.ActionType>, Seen>(
        _ type: C.Type,
        _ client: Actual,
        _ component: ComponentDescriptor,
        as seen: @escaping (ObservedClient<Actual>) -> Seen,
        intercepted: @escaping (InterceptedClient<ObservedClient<Actual>>) -> Seen
    ) {
        let (observer, clock) = (port.observer, port.clock)
        // Before a context resolves the client, so that its series exist from the start.
        _ = observer?.clientProbe(for: component, of: type, calledBy: nil)
        let spans = spans(of: client, component)
        let (policy, faults) = (policy(of: client, component), port.faultGate(for: component))
        let unobserved = seen(
            ObservedClient(client, component, probe: nil, clock: clock, spans: nil, policy: policy)
        )
        let chains = middleware.chains(for: type)
        let binding = ClientBinding<C, Seen> { caller in
            let probe = observer?.clientProbe(for: component, of: type, calledBy: caller)
            if probe == nil, !chains.isNeeded { return unobserved }
            let observed = ObservedClient(
                client,
                component,
                probe: probe,
                clock: clock,
                spans: spans,
                policy: policy,
                faults: faults
            )
            guard chains.isNeeded else { return seen(observed) }
            let refusals = ActionRefusals(probe: probe, spans: spans, clock: clock)
            return intercepted(
                InterceptedClient(observed, ActionInterception(chains, component, calledBy: caller, refusals))
            )
        }
        registry.add(type, binding, component)
    }

    private func spans<Actual: StatelessClient>(of client: Actual, _ component: ComponentDescriptor) -> ClientSpans? {
        port.spanProbe(for: component, actions: Actual.ActionType.caseNames).map {
            ClientSpans(
                $0,
                instance: (client as? any Component)?.identity.id ?? 0,
                binds: registry.usesCapabilities(component)
            )
        }
    }

    /// What is done around the client's actions, for the callers of all context types together.
    private func policy<C: StatelessClient>(
        of client: C,
        _ component: ComponentDescriptor
    ) -> CallPolicy<C.ActionType>? {
        let watch = port.watchdog?.watch(
            component,
            actions: C.ActionType.caseNames,
            bindsCalls: registry.usesCapabilities(component)
        ) { [port] in port.observer?.signal($0, $1) }
        return CallPolicy(ActionScheduler.make(for: client, component, port), watch)
    }
}

/// The owner of each state type (rule 7).
@MainActor
final class StateOwners {
    private var owners: [ObjectIdentifier: ComponentDescriptor] = [:]

    /// Makes an empty table; each client is entered when it is made.
    init() {}

    /// Makes a table with the states of all registered clients.
    init(_ clients: [Blueprint.ClientPlan], _ names: NameTable) {
        for plan in clients {
            if let state = plan.state { owners[state.type] = names.descriptor(of: plan.type, .client) }
        }
    }

    /// Enters the client's state and the types of the stores that it made, which it owns from now on.
    ///
    /// - Throws: ``CompositionError`` if one of them belongs to another client, or if there are two stores of the
    ///   state.
    func claim<S: OwnedState>(
        _ made: [ClientStores.Made],
        for client: ComponentDescriptor,
        owning state: S.Type
    ) throws(CompositionError) {
        for (type, name) in [(ObjectIdentifier(state), "\(state)")] + made.map({ ($0.type, $0.name) }) {
            let owner = owners[type] ?? client
            guard owner == client else {
                throw CompositionError(
                    .stateOwnedTwice,
                    "The \(client) makes a store of \(name), which is the state of the \(owner).",
                    "Give each client a state type of its own, or let one client own it."
                )
            }
            owners[type] = client
        }
        for store in made where made.count(where: { $0.type == store.type }) > 1 {
            let isState = store.type == ObjectIdentifier(state)
            throw CompositionError(
                .stateOwnedTwice,
                "The \(client) makes two stores of \(isState ? "its state " : "")\(store.name).",
                "Make one store in the initializer and publish its stream."
            )
        }
    }
}
