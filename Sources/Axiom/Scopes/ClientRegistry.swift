// SPDX-License-Identifier: Apache-2.0

/// Finds clients for the scopes of contexts, and records which context type uses which client.
@MainActor
final class ClientRegistry {
    /// In the order of their types. An array, because it takes a quarter of the memory of a dictionary.
    private(set) var clients: [RegisteredClient] = []
    let recorder: GraphRecorder

    init(recorder: GraphRecorder) { self.recorder = recorder }

    /// Prepares for `count` clients.
    func reserve(_ count: Int) { clients.reserveCapacity(count) }

    /// Adds a client, or replaces the one of the same type.
    func add(_ client: RegisteredClient) {
        let index = index(of: client.type)
        if clients.indices.contains(index), clients[index].type == client.type {
            clients[index] = client
        } else {
            clients.insert(client, at: index)
        }
    }

    func addFailure<C: StatelessClient>(_ type: C.Type, _ component: ComponentDescriptor, _ error: any Error) {
        let type = ObjectIdentifier(type)
        add(FailedClient(type, component, error, replacing: find(type)))
    }

    func removeAll() { clients.removeAll() }

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
        switch find(ObjectIdentifier(type)) {
        case let binding as ResolvableClient<C, Seen>:
            guard let client = binding.client(for: asker) else { break }
            recorder.resolved(from: asker, to: binding.component)
            return client
        case let failed as FailedClient:
            throw ClientError.notStarted(failed.component, asker: asker, cause: failed.error)
        default: break
        }
        throw CompositionError(
            .notRegistered,
            "The \(asker) requires the client \(type), which is not registered.",
            "Register it before start(): orchestrator.register(\(type).self) { … }."
        )
    }

    private func find(_ type: ObjectIdentifier) -> RegisteredClient? {
        let index = index(of: type)
        return clients.indices.contains(index) && clients[index].type == type ? clients[index] : nil
    }

    /// The index of the first client whose type is not before `type`.
    private func index(of type: ObjectIdentifier) -> Int {
        var range = 0..<clients.count
        while !range.isEmpty {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = clients[middle].type < type ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
