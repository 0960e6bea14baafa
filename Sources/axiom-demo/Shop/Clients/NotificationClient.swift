// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The customer's inbox; which messages were read is kept in storage. When the server fails, a kept inbox is shown, and
/// the failure is told all the same.
actor NotificationClient: Client, Component {
    private static let file = "read-messages.json"

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<NotificationState>
    private let cache: CapabilityRef<ResponseCache>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(NotificationState())
        cache = try scope.capability(ResponseCache.self)
        storage = try scope.capability((any Storage).self)
        ledger.singletons.created(Self.componentName, self)
    }

    var state: NotificationState { store.state }
    nonisolated var stateStream: StateStream<NotificationState> { store.stream }

    func activate() async throws {
        guard let bytes = try await storage.current().read(Self.file) else { return }
        let read = try JSON.decode(Set<Int>.self, from: bytes)
        store.update { $0.read = read }
    }

    func process(_ action: NotificationAction) async throws {
        switch action {
        case .refresh(let customer):
            try await refresh(customer)
        case .markRead(let message):
            store.update { _ = $0.read.insert(message) }
            try await save()
        case .markAllRead:
            store.update { state in state.read = Set(state.messages.map(\.id)) }
            try await save()
        }
    }

    private func refresh(_ customer: String) async throws {
        let answer = try await cache.current().fetch("/inbox/\(customer)")
        let messages = try JSON.decode([Message].self, from: answer.body)
        store.update { state in
            state.customer = customer
            state.messages = messages
            state.read.formIntersection(messages.map(\.id))
            state.isStale = answer.isStale
        }
        if let failure = answer.failure { throw failure }
    }

    private func save() async throws {
        try await storage.current().update(Self.file) { [store] _ in try JSON.encode(store.state.read.sorted()) }
    }
}
