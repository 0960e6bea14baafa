// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// Makes the clients of one orchestrator and makes them available to contexts.
@MainActor
struct ClientFactory {
    let resolver: CapabilityResolver
    let registry: ClientRegistry
    let environment: CallEnvironment
    /// Receives mistakes with stores; nil: ignore them. Weak, because its boundary may keep a retry with this factory.
    weak var supervisor: Supervisor?
    let owners: StateOwners
    /// Receives the hooks of each client that has some.
    let installHooks: @MainActor (ObservationHooks, ComponentDescriptor) -> Void

    private var port: InstrumentationPort { environment.port }

    init(
        resolver: CapabilityResolver,
        registry: ClientRegistry,
        port: InstrumentationPort,
        supervisor: Supervisor? = nil,
        owners: StateOwners = StateOwners(),
        middleware: MiddlewareTable = MiddlewareTable(),
        installHooks: @escaping @MainActor (ObservationHooks, ComponentDescriptor) -> Void = { _, _ in }
    ) {
        self.resolver = resolver
        self.registry = registry
        environment = CallEnvironment(port, registry.recorder, middleware)
        self.supervisor = supervisor
        self.owners = owners
        self.installHooks = installHooks
    }

    /// Runs the factory of a client under a new identity.
    ///
    /// Reports a client whose stream belongs to a store that its scope did not make. The client works, but its state is
    /// not observed.
    func make<C: Client & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> (client: C, stores: ClientStores) {
        let made = MadeStores()
        port.bind(StateSignals.stale, component)
        let (client, stores) = try run(factory, component, made)
        try owners.claim(made.all, for: component, owning: C.StateType.self)
        if let client = client as? any ObservationAwareClient { watch(client, component) }
        let store = client.stateStream.storeID
        if !made.all.contains(where: { $0.id == store }) {
            let error = ClientError.storeOutsideScope(component, "\(C.StateType.self)")
            Task.onMainActor { [supervisor] in
                await supervisor?.report(error, in: component)
            }
        }
        return (client, stores)
    }

    private func watch<C: ObservationAwareClient>(_ client: C, _ component: ComponentDescriptor) {
        let fanout = client.stateStream.storage
        let hooks = ObservationHooks(client, component, fanout, port, supervisor)
        fanout.install(hooks)
        installHooks(hooks, component)
    }

    /// Runs the factory of a stateless client under a new identity.
    func make<C: StatelessClient & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> (client: C, stores: ClientStores) {
        let made = MadeStores()
        let (client, stores) = try run(factory, component, made)
        if let store = made.all.first {
            throw CompositionError(
                .storeInStatelessClient,
                "The \(component) makes a store of \(store.name), but it is a client without state.",
                "Conform it to Client and name the state as its StateType, or leave the store out."
            )
        }
        return (client, stores)
    }

    private func run<C: StatelessClient & Component>(
        _ factory: (borrowing ClientScope) throws -> C,
        _ component: ComponentDescriptor,
        _ made: MadeStores
    ) throws -> (client: C, stores: ClientStores) {
        let identity = ComponentIdentity(component, port: port)
        let stores = ClientStores(component, supervisor)
        let client = try factory(ClientScope(identity, resolver, stores, made))
        try CompositionError.check(client, has: identity)
        identity.announce()
        return (client, stores)
    }

    /// Makes a client available to contexts.
    func install(_ client: RegisteredClient) -> RegisteredClient {
        client.bind()
        registry.add(client)
        return client
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
        _ made: [MadeStores.Made],
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
