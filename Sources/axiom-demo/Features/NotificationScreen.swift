// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

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
    private(set) var messages: [String] = []
    private(set) var unread = 0
    private(set) var isStale = false
    /// The customer whose inbox is being refreshed; nil while messages are being marked.
    private var customer: String?
    private let client: any Client<NotificationState, NotificationAction>

    init(_ scope: borrowing ContextScope, client: any Client<NotificationState, NotificationAction>) throws {
        identity = scope.identity
        self.client = client
        observe(client) { $0.show($1) }
    }

    /// Loads the inbox if none is loaded.
    func onAppear() async throws {
        guard await !client.state.isLoaded else { return }
        try await refresh(Self.firstCustomer)
    }

    func handle(_ intent: NotificationIntent) async throws {
        switch intent {
        case .refresh(let customer): try await refresh(customer)
        case .markRead(let message): try await mark(.markRead(message))
        case .markAllRead: try await mark(.markAllRead)
        }
    }

    /// While the server fails, an inbox of the same customer that is loaded is good enough.
    func recovery(for error: any Error) -> RecoveryStrategy {
        guard error.isServerFailure, let customer else { return .surface }
        return RecoveryStrategy("fallback") { [self] operation in
            guard await client.state.customer == customer else { throw operation.error }
            isStale = true
        }
    }

    private func refresh(_ customer: String) async throws {
        self.customer = customer
        try await client.process(.refresh(customer: customer))
    }

    private func mark(_ action: NotificationAction) async throws {
        customer = nil
        try await client.process(action)
    }

    private func show(_ state: NotificationState) {
        messages = state.messages.map(\.text)
        unread = state.unread
        isStale = state.isStale
    }
}

/// The inbox.
struct NotificationView: Presentation {
    let context: NotificationContext

    var body: String {
        TextBlock.render(
            "Inbox, \(context.unread) new\(TextBlock.mark(stale: context.isStale))",
            context,
            context.messages.joined(separator: "\n")
        )
    }
}
