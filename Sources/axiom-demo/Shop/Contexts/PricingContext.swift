// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomResilience
internal import Observation

/// What the cart costs, wherever it is shown.
@MainActor
@Observable
final class PricingContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    private(set) var quote: Quote?
    /// Whether the quote is one from before, because no other was to be had.
    private(set) var isStale = false
    /// Whether a quote is asked for: nothing else can take the place of another wish.
    private var isAsking = false
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
        isAsking = if case .quote = intent { true } else { false }
        switch intent {
        case .quote(let lines): try await client.process(.quote(lines))
        case .reset: try await client.process(.reset)
        }
        isStale = false
    }

    /// Asking twice changes nothing, so that servers which failed are asked once more, and those that are given a rest
    /// are not. The quote from before is better than none.
    func remedy(for error: any Error) -> RecoveryStrategy? {
        guard error.isOfServers, isAsking else { return nil }
        let kept = remedy("fallback") { [self] in
            isStale = quote != nil
            return isStale
        }
        return error is CircuitError ? kept : .retry(attempts: 2, backoff: .constant(.milliseconds(50))).otherwise(kept)
    }
}
