// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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

/// The inbox that is shown.
struct NotificationState: OwnedState {
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
    private static let file = "read-messages.json"

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<NotificationState>
    private let cache: CapabilityRef<ResponseCache>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(NotificationState())
        cache = try scope.capability(ResponseCache.self)
        storage = try scope.capability((any Storage).self)
    }

    var state: NotificationState { store.state }
    nonisolated var stateStream: StateStream<NotificationState> { store.stream }

    func activate() async throws {
        guard let bytes = try await storage.call({ try await $0.read(Self.file) }) else { return }
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

    private func save() async throws {
        try await storage.call {
            try await $0.update(Self.file) { [store] _ in try JSON.encode(store.state.read.sorted()) }
        }
    }
}
