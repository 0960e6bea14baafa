// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// How the cart is paid.
@MainActor
@Observable
final class PaymentContext: ShopContext {
    nonisolated let identity: ComponentIdentity
    let ledger: Ledger
    let pricing: PricingContext
    private(set) var receipt: Receipt?
    private(set) var paidInAll = 0
    private var attempts = 0
    private let client: BookedClient<PaymentAction>

    init(_ scope: borrowing ContextScope, ledger: Ledger) throws {
        identity = scope.identity
        self.ledger = ledger
        pricing = try scope.context(PricingContext.self)
        let client = try scope.client(PaymentClient.self)
        self.client = BookedClient(client, PaymentClient.self, ledger: ledger)
        ledger.roll.created(Self.componentName, self)
        observe(client) { $0.show($1) }
    }

    func perform(_ intent: PaymentIntent) async throws {
        switch intent {
        case .pay: try await pay()
        case .loadTotal: try await client.process(.loadTotal)
        }
    }

    /// Pays what was quoted; without a quote there is nothing to pay.
    private func pay() async throws {
        guard let quote = pricing.quote, quote.total > 0 else { return }
        attempts += 1
        try await client.process(.pay(Payment(key: "\(identity.id)-\(attempts)", amount: quote.total)))
    }

    private func show(_ state: PaymentState) {
        receipt = state.lastReceipt
        paidInAll = state.paidInAll
    }
}
