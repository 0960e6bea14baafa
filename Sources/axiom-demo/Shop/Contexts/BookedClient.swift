// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// A client as the shop's contexts call it: every call is entered in the ledger.
@MainActor
struct BookedClient<ActionType: Action> {
    private let ask: @MainActor (ActionType) async throws -> Void
    private let name: String
    private let ledger: Ledger

    init(stateless client: any StatelessClient<ActionType>, _ type: any Component.Type, ledger: Ledger) {
        self.init(type, ledger) { try await client.process($0) }
    }

    init<S: OwnedState>(_ client: any Client<S, ActionType>, _ type: any Component.Type, ledger: Ledger) {
        self.init(type, ledger) { try await client.process($0) }
    }

    private init(
        _ type: any Component.Type,
        _ ledger: Ledger,
        ask: @escaping @MainActor (ActionType) async throws -> Void
    ) {
        self.ask = ask
        name = type.componentName
        self.ledger = ledger
    }

    /// Asks the client, and enters how it ended.
    func process(_ action: ActionType) async throws {
        try await ledger.clients.enter(name) { try await ask(action) }
    }
}
