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
    /// Whose inbox is to be shown; nil while messages are to be marked, which nothing else can take the place of.
    private var customer: String?
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
        guard await !inbox.state.isLoaded else { return }
        try await refresh(Self.firstCustomer)
    }

    func perform(_ intent: NotificationIntent) async throws {
        switch intent {
        case .refresh(let customer): try await refresh(customer)
        case .markRead(let message): try await mark(.markRead(message))
        case .markAllRead: try await mark(.markAllRead)
        }
    }

    /// While the servers fail or are given a rest, the inbox that is there will do.
    func remedy(for error: any Error) -> RecoveryStrategy? {
        guard error.isOfServers, let customer else { return nil }
        return remedy("fallback") { [self] in
            guard await inbox.state.customer == customer else { return false }
            isStale = true
            return true
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
