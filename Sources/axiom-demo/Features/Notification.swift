// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomStorage

/// A message in a customer's inbox.
struct Message: Codable, Hashable, Sendable {
    let id: Int
    let text: String
}

/// The actions of the inbox.
enum NotificationAction: Action {
    case refresh(customer: String)
    case markRead(Int)
    case markAllRead
}

/// The inbox that is shown. Only ``read`` is stored.
struct NotificationState: OwnedState, Codable {
    private enum CodingKeys: CodingKey { case read }

    /// The owner of the inbox; nil until one is loaded.
    var customer: String?
    var messages: [Message] = []
    var read: Set<Int> = []
    /// Whether the messages are old because the server failed.
    var isStale = false

    var isLoaded: Bool { customer != nil }
    var unread: Int { messages.count { !read.contains($0.id) } }
}

/// The customer's inbox. Storage keeps which messages are read.
///
/// If the server fails, the client publishes a cached inbox and throws the failure nevertheless: its circuit breaker
/// counts the errors that it throws.
actor NotificationClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<NotificationState>
    private let cache: CapabilityRef<ResponseCache>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        store = scope.persistentStore(NotificationState(), "read-messages", in: storage)
        cache = try scope.capability(ResponseCache.self)
    }

    var state: NotificationState { store.state }
    nonisolated var stateStream: StateStream<NotificationState> { store.stream }

    func activate() async throws {
        try await store.load()
    }

    func process(_ action: NotificationAction) async throws {
        switch action {
        case .refresh(let customer):
            try await refresh(customer)
        case .markRead(let message):
            store.update { _ = $0.read.insert(message) }
        case .markAllRead:
            store.update { state in state.read = Set(state.messages.map(\.id)) }
        }
    }

    private func refresh(_ customer: String) async throws {
        let answer = try await cache.call { try await $0.fetch("/inbox/\(customer)") }
        let messages = try JSON.decode([Message].self, from: answer.body)
        store.update { state in
            state.customer = customer
            state.messages = messages
            state.read.formIntersection(messages.map(\.id))
            state.isStale = answer.isStale
        }
        if let failure = answer.failure { throw failure }
    }
}
