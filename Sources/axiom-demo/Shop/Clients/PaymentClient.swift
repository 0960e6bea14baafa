// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// Payments. What fails is shown and never repeated behind a person's back.
actor PaymentClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PaymentState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(PaymentState())
        network = try scope.capability((any Network).self)
        ledger.singletons.created(Self.componentName, self)
    }

    var state: PaymentState { store.state }
    nonisolated var stateStream: StateStream<PaymentState> { store.stream }

    func process(_ action: PaymentAction) async throws {
        switch action {
        case .pay(let payment):
            let receipt = try await network.current().post("/payments", payment, answer: Receipt.self)
            store.update(.critical) { $0.lastReceipt = receipt }
        case .loadTotal:
            let total = try JSON.decode(Int.self, from: try await network.current().get("/payments"))
            store.update { $0.paidInAll = total }
        }
    }
}
