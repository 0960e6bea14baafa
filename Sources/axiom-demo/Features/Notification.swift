// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomStorage
internal import Observation

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

    var unread: Int { messages.count { !read.contains($0.id) } }
}

/// The customer's inbox. Storage keeps which messages are read.
actor NotificationClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<NotificationState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        store = scope.persistentStore(NotificationState(), "read-messages", in: storage)
        network = try scope.capability((any Network).self)
    }

    var state: NotificationState { store.state }
    nonisolated var stateStream: StateStream<NotificationState> { store.stream }

    func activate() async throws {
        try await store.load()
    }

    func process(_ action: NotificationAction) async throws {
        switch action {
        case .refresh(let customer):
            let messages = try await network.call { try await $0.get("/inbox/\(customer)", as: [Message].self) }
            store.update { state in
                (state.customer, state.messages) = (customer, messages)
                state.read.formIntersection(messages.map(\.id))
            }
        case .markRead(let message): store.update { _ = $0.read.insert(message) }
        case .markAllRead: store.update { state in state.read = Set(state.messages.map(\.id)) }
        }
    }
}

/// What a person does with the inbox.
enum NotificationIntent: Action, Hashable {
    case refresh(customer: String)
    case markRead(Int)
    case markAllRead
}

/// Shows the customer's inbox.
@MainActor
@Observable
final class NotificationContext: Context {
    /// The customer whose inbox is loaded first.
    private static let firstCustomer = "ada"

    nonisolated let identity: ComponentIdentity
    private(set) var inbox = NotificationState()
    /// Whether the inbox is an old one, because the server did not give a new one.
    private(set) var isStale = false
    /// The customer whose inbox is being refreshed; nil while messages are being marked.
    private var customer: String?
    private var shownAt: Instant
    private let client: any Client<NotificationState, NotificationAction>

    init(
        _ scope: borrowing ContextScope,
        client: any Client<NotificationState, NotificationAction>,
        clock: TimeSource
    ) throws {
        identity = scope.identity
        self.client = client
        shownAt = clock.now
        observe(client) { ($0.inbox, $0.shownAt, $0.isStale) = ($1, clock.now, false) }
    }

    /// Loads the inbox if none is loaded.
    func onAppear() async throws {
        guard await client.state.customer == nil else { return }
        try await handle(.refresh(customer: Self.firstCustomer))
    }

    func handle(_ intent: NotificationIntent) async throws {
        customer = if case .refresh(let customer) = intent { customer } else { nil }
        switch intent {
        case .refresh(let customer): try await client.process(.refresh(customer: customer))
        case .markRead(let message): try await client.process(.markRead(message))
        case .markAllRead: try await client.process(.markAllRead)
        }
    }

    /// While the server fails, an inbox of the same customer that is shown is good enough.
    func recovery(for error: any Error) -> RecoveryStrategy {
        guard error.isServerFailure, let customer else { return .surface }
        return .fallback { [self] in
            inbox.customer == customer ? (value: customer, storedAt: shownAt) : nil
        } apply: { [self] _, _ in
            isStale = true
        }
    }
}

/// The inbox.
struct NotificationView: Presentation {
    let context: NotificationContext

    var body: String {
        TextBlock.render(
            "Inbox, \(context.inbox.unread) new\(TextBlock.mark(stale: context.isStale))",
            context,
            context.inbox.messages.map(\.text).joined(separator: "\n")
        )
    }
}
