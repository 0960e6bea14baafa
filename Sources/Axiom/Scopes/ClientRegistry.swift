// SPDX-License-Identifier: Apache-2.0

/// Finds clients for the scopes of contexts, and records which context type uses which client.
@MainActor
final class ClientRegistry {
    private enum Entry {
        /// A ``ClientBinding`` of the client's type.
        case working(ComponentDescriptor, any AnyObject & Sendable)
        case failed(ComponentDescriptor, any Error)

        var component: ComponentDescriptor {
            switch self {
            case .working(let component, _), .failed(let component, _): component
            }
        }
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number and the stores of each client that was made.
    private(set) var made: [ComponentDescriptor: (id: UInt64, stores: ClientStores)] = [:]
    private let recorder: GraphRecorder

    init(recorder: GraphRecorder) {
        self.recorder = recorder
    }

    func add<C: StatelessClient, Seen>(
        _ type: C.Type,
        _ binding: ClientBinding<C, Seen>,
        _ component: ComponentDescriptor
    ) {
        entries[ObjectIdentifier(type)] = .working(component, binding)
    }

    func addFailure<C: StatelessClient>(_ type: C.Type, _ component: ComponentDescriptor, _ error: any Error) {
        entries[ObjectIdentifier(type)] = .failed(component, error)
    }

    func note(_ identity: ComponentIdentity, _ stores: ClientStores) {
        made[identity.descriptor] = (identity.id, stores)
    }

    /// Whether contexts that resolve the client get an error.
    func hasFailed(_ client: ComponentDescriptor) -> Bool {
        entries.values.contains {
            if case .failed(client, _) = $0 { true } else { false }
        }
    }

    /// Whether the client's factory resolved a capability.
    func usesCapabilities(_ client: ComponentDescriptor) -> Bool {
        recorder.graph.dependencies(of: client).contains { $0.kind == .capability }
    }

    /// Replaces a client with an error. Contexts that resolve it from now on get the error.
    func disable(_ component: ComponentDescriptor, because error: any Error) {
        for (type, entry) in entries where entry.component == component {
            entries[type] = .failed(component, ClientError.disabled(component, because: error))
        }
    }

    func removeAll() {
        entries.removeAll()
        made.removeAll()
    }

    func resolve<C: Client>(
        _ type: C.Type,
        for asker: ComponentDescriptor
    ) throws -> any Client<C.StateType, C.ActionType> {
        try find(type, as: (any Client<C.StateType, C.ActionType>).self, for: asker)
    }

    func resolve<C: StatelessClient>(
        _ type: C.Type,
        for asker: ComponentDescriptor
    ) throws -> any StatelessClient<C.ActionType> {
        try find(type, as: (any StatelessClient<C.ActionType>).self, for: asker)
    }

    private func find<C: StatelessClient, Seen>(
        _ type: C.Type,
        as seen: Seen.Type,
        for asker: ComponentDescriptor
    ) throws -> Seen {
        switch entries[ObjectIdentifier(type)] {
        case .working(let component, let binding):
            guard let binding = binding as? ClientBinding<C, Seen> else { break }
            return binding.client(for: asker) { recorder.resolved(from: asker, to: component) }
        case .failed(_, let error as ClientError) where error.code == .clientDisabled: throw error
        case .failed(let component, let error):
            throw ClientError.notStarted(component, asker: asker, cause: error)
        case nil: break
        }
        throw CompositionError(
            .notRegistered,
            "The \(asker) requires the client \(type), which is not registered.",
            "Register it before start(): orchestrator.register(\(type).self) { … }."
        )
    }
}

/// One registered client, with the ``ObservedClient`` for each context type.
///
/// - Parameters:
///   - C: The registered type of the client.
///   - Seen: The type that contexts get: `any Client` or `any StatelessClient` of the types of `C`.
@MainActor
final class ClientBinding<C: StatelessClient, Seen> {
    private let make: @MainActor (ComponentDescriptor) -> Seen
    /// Indexed by context type: all contexts of one type get the same client.
    private var bound: [ComponentDescriptor: Seen] = [:]

    init(_ make: @escaping @MainActor (ComponentDescriptor) -> Seen) {
        self.make = make
    }

    /// - Parameter first: Called if no context of that type has resolved the client before.
    func client(for caller: ComponentDescriptor, first: () -> Void) -> Seen {
        if let known = bound[caller] { return known }
        first()
        let client = make(caller)
        bound[caller] = client
        return client
    }
}
