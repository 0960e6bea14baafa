// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import Logging

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
            let total = try JSON.decode(Int.self, from: try await network.call { try await $0.get("/payments") })
            store.update { $0.total = total }
        }
    }
}
