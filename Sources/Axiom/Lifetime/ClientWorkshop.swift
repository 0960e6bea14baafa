// SPDX-License-Identifier: Apache-2.0

/// What is needed to make a client and to put it where contexts find it.
@MainActor
struct ClientWorkshop {
    let resolver: CapabilityResolver
    let registry: ClientRegistry
    let port: InstrumentationPort

    /// Runs the factory of a client under a new identity.
    func make<C: StatelessClient & Component>(
        _ component: ComponentDescriptor,
        _ factory: (borrowing ClientScope) throws -> C
    ) throws -> C {
        let identity = ComponentIdentity(component, port: port)
        let client = try factory(ClientScope(identity, resolver))
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
