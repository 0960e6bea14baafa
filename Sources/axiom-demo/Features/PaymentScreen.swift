// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Observation

/// What a person does to pay.
enum PaymentIntent: Action, Hashable {
    case pay
    case loadTotal
}

/// Pays the cart's price.
@MainActor
@Observable
final class PaymentContext: Context {
    nonisolated let identity: ComponentIdentity
    let pricing: PricingContext
    private(set) var receipt: Receipt?
    private(set) var total = 0
    private var attempts = 0
    private let client: any Client<PaymentState, PaymentAction>

    init(_ scope: borrowing ContextScope, client: any Client<PaymentState, PaymentAction>) throws {
        identity = scope.identity
        self.client = client
        pricing = try scope.context(PricingContext.self)
        observe(client) { $0.show($1) }
    }

    func handle(_ intent: PaymentIntent) async throws {
        switch intent {
        case .pay: try await pay()
        case .loadTotal: try await client.process(.loadTotal)
        }
    }

    /// Pays the quoted price. Without a quote there is nothing to pay.
    private func pay() async throws {
        guard let quote = pricing.quote, quote.total > 0 else { return }
        attempts += 1
        try await client.process(.pay(Payment(key: "\(identity.id)-\(attempts)", amount: quote.total)))
    }

    private func show(_ state: PaymentState) {
        receipt = state.lastReceipt
        total = state.total
    }
}

/// The payment.
struct PaymentView: Presentation {
    let context: PaymentContext

    var body: String {
        TextBlock.render(
            "Payment",
            context,
            context.receipt.map { "receipt \($0.number): \(TextBlock.money($0.amount))" } ?? "nothing paid yet",
            "paid in all: \(TextBlock.money(context.total))",
            PricingView(context: context.pricing).body
        )
    }
}
