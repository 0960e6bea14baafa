// SPDX-License-Identifier: Apache-2.0

/// Finds clients for the scopes of contexts, and records who asked.
@MainActor
final class ClientRegistry {
    private enum Entry {
        /// A `ClientPlace` of the client's type.
        case working(ComponentDescriptor, any AnyObject & Sendable)
        case failed(ComponentDescriptor, any Error)

        var component: ComponentDescriptor {
            switch self {
            case .working(let component, _), .failed(let component, _): component
            }
        }
    }

    typealias StatefulPlace<C: Client> = ClientPlace<C, any Client<C.StateType, C.ActionType>>
    typealias StatelessPlace<C: StatelessClient> = ClientPlace<C, any StatelessClient<C.ActionType>>

    private var entries: [ObjectIdentifier: Entry] = [:]
    private let recorder: GraphRecorder

    init(recorder: GraphRecorder) {
        self.recorder = recorder
    }

    func add<C: Client>(_ type: C.Type, _ place: StatefulPlace<C>, _ component: ComponentDescriptor) {
        entries[ObjectIdentifier(type)] = .working(component, place)
    }

    func add<C: StatelessClient>(_ type: C.Type, _ place: StatelessPlace<C>, _ component: ComponentDescriptor) {
        entries[ObjectIdentifier(type)] = .working(component, place)
    }

    func addFailure<C: StatelessClient>(_ type: C.Type, _ component: ComponentDescriptor, _ error: any Error) {
        entries[ObjectIdentifier(type)] = .failed(component, error)
    }

    /// Puts an error in the place of a client: contexts that ask for it from now on get that.
    func disable(_ component: ComponentDescriptor, because error: any Error) {
        for (type, entry) in entries where entry.component == component {
            entries[type] = .failed(component, ClientError.disabled(component, because: error))
        }
    }

    func removeAll() {
        entries.removeAll()
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
        case .working(let component, let place):
            guard let place = place as? ClientPlace<C, Seen> else { break }
            return place.client(for: asker) { recorder.resolved(from: asker, to: component) }
        case .failed(_, let error as ClientError) where error.code == .clientDisabled: throw error
        case .failed(let component, let error):
            throw ClientError.notStarted(component, asker: asker, cause: error)
        case nil: break
        }
        throw CompositionError(
            .notRegistered,
            "The \(asker) asks for the client \(type), which is not registered.",
            "Register it before start(): orchestrator.register(\(type).self) { … }."
        )
    }
}
