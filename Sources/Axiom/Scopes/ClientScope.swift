// SPDX-License-Identifier: Apache-2.0

internal import AxiomBase

/// The input of a client's factory: the identity to store, access to capabilities, and the state store.
///
/// A scope cannot be copied or stored, so the dependencies of a client are fixed when it is made. It resolves no
/// clients and no contexts: rules 1, 5 and 6 hold because code that breaks them cannot be written.
public struct ClientScope: ~Copyable, Sendable {
    /// The identity that the new client stores.
    public let identity: ComponentIdentity
    private let resolver: CapabilityResolver
    private let stores: ClientStores

    init(_ identity: ComponentIdentity, _ resolver: CapabilityResolver, _ stores: ClientStores) {
        self.identity = identity
        self.resolver = resolver
        self.stores = stores
    }

    /// A reference to a capability.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func capability<C: Sendable>(_ type: C.Type) throws -> CapabilityRef<C> {
        try resolver.resolve(type, for: identity.descriptor)
    }

    /// A new store for the state that the new client owns, observed under the client's name.
    ///
    /// ``Orchestrator/start()`` throws if a stateless client makes a store, or if the type is the state of another
    /// client (rule 7).
    public func store<S: OwnedState>(_ initial: S) -> StateStore<S> {
        let observer = identity.port.observer
        let probe = observer?.stateProbe(for: identity.descriptor)
        let spans = probe == nil ? nil : identity.port.spanProbe(for: identity.descriptor)
        let store = StateStore(initial, probe: probe, clock: identity.port.clock, spans: spans) { [stores] in
            stores.report(.reentrantUpdate(S.self))
        }
        stores.add(store)
        if observer != nil { identity.addStore(bytes: store.frameworkBytes) }
        return store
    }
}

/// The stores from one client's scope, and the reporting of their misuse.
final class ClientStores: Sendable {
    struct Made: Sendable {
        let type: ObjectIdentifier
        let name: String
        /// Identifies the store by its fan-out.
        let fanout: ObjectIdentifier
    }

    private let component: ComponentDescriptor
    /// Weak, because its boundary may keep a retry that leads, through the registry, to the clients of these stores.
    private weak let supervisor: Supervisor?
    private let list = Lock<[Made]>([])

    init(_ component: ComponentDescriptor, _ supervisor: Supervisor?) {
        self.component = component
        self.supervisor = supervisor
    }

    var made: [Made] { list.withLock { $0 } }

    func add<S>(_ store: StateStore<S>) {
        let made = Made(type: ObjectIdentifier(S.self), name: "\(S.self)", fanout: store.id)
        list.withLock { $0.append(made) }
    }

    /// Reports an error that could not be thrown where it occurred: to the context operation that runs in this task, or
    /// else to the orchestrator.
    func report(_ error: StateError) {
        if let trail = ErrorTrail.current, trail.noteFault(error, from: component) { return }
        Task { @MainActor [component, supervisor] in
            await supervisor?.report(error, in: component)
        }
    }
}
