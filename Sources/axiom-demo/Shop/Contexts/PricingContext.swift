// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What the cart costs, wherever it is shown.
@MainActor
@Observable
final class PricingContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    private(set) var quote: Quote?
    private let client: BookedClient<PricingAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        let client = try scope.client(PricingClient.self)
        self.client = BookedClient(client, PricingClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(client) { $0.quote = $1.quote }
    }

    func perform(_ intent: PricingIntent) async throws {
        switch intent {
        case .quote(let lines): try await client.process(.quote(lines))
        case .reset: try await client.process(.reset)
        }
    }
}
