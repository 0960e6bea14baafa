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
    let stores: ClientStores
    private let made: MadeStores

    init(
        _ identity: ComponentIdentity,
        _ resolver: CapabilityResolver,
        _ stores: ClientStores,
        _ made: MadeStores
    ) {
        self.identity = identity
        self.resolver = resolver
        self.stores = stores
        self.made = made
    }

    /// A reference to a capability.
    ///
    /// - Throws: ``CompositionError`` with the code ``ErrorCode/notRegistered``.
    public func capability<C: Sendable>(_ type: C.Type) throws -> CapabilityRef<C> {
        try resolver.resolve(type, for: identity.descriptor)
    }

    /// The service of this type; see ``Orchestrator/provide(_:_:_:)``.
    ///
    /// - Throws: ``CompositionError`` if it is not provided, or if services require each other in a cycle; any error of
    ///   its factory.
    public func service<S: Sendable>(_ type: S.Type) throws -> S {
        try resolver.services.resolve(type, for: "The \(identity.descriptor)")
    }

    /// A new store for the state that the new client owns, observed under the client's name.
    ///
    /// ``Orchestrator/start()`` throws if a stateless client makes a store, or if the type is the state of another
    /// client (rule 7).
    public func store<S: OwnedState>(_ initial: S) -> StateStore<S> {
        let observer = identity.port.observer
        let probe = observer?.stateProbe(for: identity.descriptor)
        let spans = probe == nil ? nil : identity.port.spanProbe(for: identity.descriptor)
        let recorder = probe == nil ? nil : identity.port.stateRecorder(for: identity)
        let store = StateStore(
            initial,
            probe: probe,
            clock: identity.port.clock,
            spans: spans,
            recorder: recorder,
            owner: stores
        )
        made.add(store)
        stores.add(store.storage)
        if observer != nil { identity.addStore(bytes: store.frameworkBytes) }
        return store
    }

    /// Reports an error of the new client that has no caller to be thrown to. It ends at the boundary of the
    /// orchestrator. May be kept and called from any thread.
    package var reportError: @Sendable (any Error) -> Void { stores.reporter }
}

/// The stores that a client's factory made, also those that it released again. Needed only while the client is made.
final class MadeStores: Sendable {
    struct Made: Sendable {
        let type: ObjectIdentifier
        let name: String
        /// The ``StateStore/id`` of the store.
        let id: ObjectIdentifier
    }

    private let list = Lock<[Made]>([])

    var all: [Made] { list.withLock { $0 } }

    func add<S>(_ store: StateStore<S>) {
        let made = Made(type: ObjectIdentifier(S.self), name: "\(S.self)", id: store.id)
        list.withLock { $0.append(made) }
    }
}

/// The stores from one client's scope, and the reporting of their misuse.
final class ClientStores: StoreOwner, @unchecked Sendable {
    /// What few clients have.
    private struct Rest {
        var stores: [StateFanout] = []
        /// The parts from other modules that save changes.
        var parts: [WeakPart] = []
    }

    private final class Box {
        var rest = Rest()
    }

    private struct WeakPart: Sendable {
        weak let part: (any UnsavedPart)?
    }

    /// Guards the stores and the rest of all clients, because it is taken when a store or a part is made or an error is
    /// reported.
    private static let lock = Lock(())

    private let name: String
    /// Weak, because its boundary may keep a retry that leads, through the registry, to the clients of these stores.
    private weak let supervisor: Supervisor?
    /// The first store, for an inspection, until the client releases it. Guarded by `lock`.
    private var store: StateFanout?
    /// Guarded by `lock`.
    private var box: Box?

    init(_ component: ComponentDescriptor, _ supervisor: Supervisor?) {
        name = component.name
        self.supervisor = supervisor
    }

    var component: ComponentDescriptor { ComponentDescriptor(kind: .client, name: name) }

    override func updateDiscarded(of stateType: String) { report(.reentrantUpdate(of: stateType)) }

    override func updateRefused() { supervisor?.boundary.port.count(StateSignals.stale, component) }

    /// The stores that the client has not released.
    var stores: [StateFanout] {
        Self.lock.withLock { _ in ([store].compactMap(\.self) + (box?.rest.stores ?? [])) }
    }

    /// The parts that were not released.
    var unsavedParts: [any UnsavedPart] {
        Self.lock.withLock { _ in box?.rest.parts ?? [] }.compactMap(\.part)
    }

    func add(_ part: any UnsavedPart) { change { $0.parts.append(WeakPart(part: part)) } }

    func add(_ store: StateFanout) {
        let isFirst = Self.lock.withLock { _ in
            guard self.store == nil else { return false }
            self.store = store
            return true
        }
        if !isFirst { change { $0.stores.append(store) } }
    }

    override func storeReleased(_ store: StateFanout) {
        Self.lock.withLock { _ in
            if self.store === store { self.store = nil }
            box?.rest.stores.removeAll { $0 === store }
        }
    }

    private func change<R>(_ body: (inout Rest) -> R) -> R {
        Self.lock.lock()
        defer { Self.lock.unlock() }
        let box = box ?? Box()
        self.box = box
        return body(&box.rest)
    }

    /// Reports errors of work that no action waits for. Does not keep the client alive.
    var reporter: @Sendable (any Error) -> Void {
        { [component, weak supervisor] error in
            Self.report(error, in: component, to: supervisor)
        }
    }

    /// Reports an error that could not be thrown where it occurred: to the context operation that runs in this task, or
    /// else to the orchestrator.
    func report(_ error: StateError) {
        if let trail = ErrorTrail.current, trail.noteFault(error, from: component) { return }
        report(laterOn: error)
    }

    /// Ends an error of the client at the orchestrator.
    func report(laterOn error: any Error) { Self.report(error, in: component, to: supervisor) }

    private static func report(_ error: any Error, in component: ComponentDescriptor, to supervisor: Supervisor?) {
        guard let supervisor else { return }
        supervisor.quiescence.begin()
        Task.onMainActor {
            await supervisor.report(error, in: component)
            supervisor.quiescence.end()
        }
    }
}

/// The signals of states.
enum StateSignals {
    static let stale = SignalFamily(
        "axiom_state_stale_total",
        .counter,
        help: "Updates that were refused because the state had changed since it was read.",
        labels: ["client"]
    )
}
