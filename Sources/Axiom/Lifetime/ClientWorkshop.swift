// SPDX-License-Identifier: Apache-2.0

/// What is needed to make a client and to put it where contexts find it.
@MainActor
struct ClientWorkshop {
    let resolver: CapabilityResolver
    let registry: ClientRegistry
    let port: InstrumentationPort
    /// Where mistakes with stores are reported; nil where they are not.
    var supervisor: Supervisor?
    var owners = StateOwners()

    /// Runs the factory of a client under a new identity.
    ///
    /// A client whose stream is that of a store which its scope did not make works, but its state is not observed: that
    /// is reported.
    func make<C: Client & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> C {
        let stores = ClientStores(component, supervisor)
        let client = try run(factory, component, stores)
        try owners.claim(stores.made, for: component, owning: C.StateType.self)
        if let store = client.stateStream.storeID, !stores.made.contains(where: { $0.fanout == store }) {
            let error = ClientError.storeOutsideScope(component, "\(C.StateType.self)")
            Task { [supervisor] in
                await supervisor?.report(error, in: component)
            }
        }
        return client
    }

    /// Runs the factory of a stateless client under a new identity.
    func make<C: StatelessClient & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> C {
        let stores = ClientStores(component, supervisor)
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
        return client
    }

    /// Puts `client`, wrapped by the instrumentation or else to note its errors, in the place of type `C`.
    func place<C: Client, Actual: Client>(_ type: C.Type, _ client: Actual, _ component: ComponentDescriptor)
    where Actual.StateType == C.StateType, Actual.ActionType == C.ActionType {
        #if Instrumented
        let observed = Hooks.wrap(client, component, registeredAs: type, port)
        if observed as AnyObject !== client {
            let place = ClientRegistry.StatefulPlace<C>(type) { [port] asker in
                Hooks.share(client, component, registeredAs: type, for: asker, observed, port)
            }
            return registry.add(type, place, component)
        }
        #endif
        let traced: any Client<C.StateType, C.ActionType> = TracedClient(client, component)
        registry.add(type, ClientRegistry.StatefulPlace<C>(type) { _ in traced }, component)
    }

    /// Puts `client`, wrapped by the instrumentation or else to note its errors, in the place of the stateless type
    /// `C`.
    func placeStateless<C: StatelessClient, Actual: StatelessClient>(
        _ type: C.Type,
        _ client: Actual,
        _ component: ComponentDescriptor
    ) where Actual.ActionType == C.ActionType {
        #if Instrumented
        let observed = Hooks.wrapStateless(client, component, registeredAs: type, port)
        if observed as AnyObject !== client {
            let place = ClientRegistry.StatelessPlace<C>(type) { [port] asker in
                Hooks.shareStateless(client, component, registeredAs: type, for: asker, observed, port)
            }
            return registry.add(type, place, component)
        }
        #endif
        let traced: any StatelessClient<C.ActionType> = TracedStatelessClient(client, component)
        registry.add(type, ClientRegistry.StatelessPlace<C>(type) { _ in traced }, component)
    }
}

/// Which client owns which type of state (rule 7).
@MainActor
final class StateOwners {
    private var owners: [ObjectIdentifier: ComponentDescriptor] = [:]

    /// Makes a table that learns the owners one client after the other.
    init() {}

    /// Enters the states of all clients that are registered.
    init(_ clients: [Blueprint.ClientPlan], _ names: NameTable) {
        for plan in clients {
            if let state = plan.state { owners[state.type] = names.descriptor(of: plan.type, .client) }
        }
    }

    /// Enters the client's state and the types of the stores that it made, which are its own from now on.
    ///
    /// - Throws: ``CompositionError`` when one of them belongs to another client, or there are two stores of the state.
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
        guard made.count(where: { $0.type == ObjectIdentifier(state) }) > 1 else { return }
        throw CompositionError(
            .stateOwnedTwice,
            "The \(client) makes two stores of its state \(state).",
            "Make one store in the initializer and publish its stream."
        )
    }
}
