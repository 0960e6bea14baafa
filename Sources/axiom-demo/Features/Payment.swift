// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Logging
internal import Observation

/// A payment. The server treats two payments with the same key as one.
struct Payment: Codable, Hashable, Sendable {
    let key: String
    /// In cents.
    let amount: Int
}

/// The proof of a payment.
struct Receipt: Codable, Hashable, Sendable {
    let number: Int
    /// In cents.
    let amount: Int
}

/// The actions of payments.
enum PaymentAction: Action {
    case pay(Payment)
    case loadTotal
}

/// The payments.
struct PaymentState: OwnedState {
    var lastReceipt: Receipt?
    /// In cents, as the server reports it.
    var total = 0
}

/// Payments. A payment that fails is shown and never repeated without the customer's knowledge.
actor PaymentClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PaymentState>
    private let network: CapabilityRef<any Network>
    private let logger: Logger

    init(_ scope: borrowing ClientScope, logger: Logger) throws {
        identity = scope.identity
        self.logger = logger
        store = scope.store(PaymentState())
        network = try scope.capability((any Network).self)
    }

    var state: PaymentState { store.state }
    nonisolated var stateStream: StateStream<PaymentState> { store.stream }

    func process(_ action: PaymentAction) async throws {
        switch action {
        case .pay(let payment):
            let receipt = try await network.call { try await $0.post("/payments", payment, answer: Receipt.self) }
            // Critical: a subscriber gets each receipt, even if it is slow.
            store.update(.critical) { $0.lastReceipt = receipt }
            logger.info("Paid \(receipt.amount) cents.", metadata: ["receipt": "\(receipt.number)"])
        case .loadTotal:
            let total = try await network.call { try await $0.get("/payments", as: Int.self) }
            store.update { $0.total = total }
        }
    }
}

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
