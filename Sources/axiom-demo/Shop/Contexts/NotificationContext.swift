// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// The customer's inbox, wherever it is shown.
@MainActor
@Observable
final class NotificationContext: ShopContext {
    /// Whose inbox is shown until somebody refreshes another's.
    private static let firstCustomer = "ada"

    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    private(set) var messages: [String] = []
    private(set) var unread = 0
    private(set) var isStale = false
    private let client: BookedClient<NotificationAction>
    private let inbox: any Client<NotificationState, NotificationAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        inbox = try scope.client(NotificationClient.self)
        client = BookedClient(inbox, NotificationClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(inbox) { $0.show($1) }
    }

    /// Loads the inbox the first time that any is shown.
    func onAppear() async throws {
        try await ledger.phase {
            guard await !inbox.state.isLoaded else { return }
            try await client.process(.refresh(customer: Self.firstCustomer))
        }
    }

    func perform(_ intent: NotificationIntent) async throws {
        switch intent {
        case .refresh(let customer): try await client.process(.refresh(customer: customer))
        case .markRead(let message): try await client.process(.markRead(message))
        case .markAllRead: try await client.process(.markAllRead)
        }
    }

    private func show(_ state: NotificationState) {
        messages = state.messages.map(\.text)
        unread = state.unread
        isStale = state.isStale
    }
}
