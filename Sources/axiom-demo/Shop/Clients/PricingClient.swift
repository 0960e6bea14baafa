// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What things cost.
actor PricingClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PricingState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(PricingState())
        network = try scope.capability((any Network).self)
        ledger.singletons.created(Self.componentName, self)
    }

    var state: PricingState { store.state }
    nonisolated var stateStream: StateStream<PricingState> { store.stream }

    func process(_ action: PricingAction) async throws {
        switch action {
        case .quote(let lines):
            let quote = try await network.current().post("/prices", lines, answer: Quote.self)
            store.update { $0.quote = quote }
        case .reset:
            store.update { $0.quote = nil }
        }
    }
}
