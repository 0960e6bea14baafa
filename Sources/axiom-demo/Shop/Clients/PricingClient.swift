// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// What things cost. Asking twice changes nothing, so that a failed question is asked once more.
actor PricingClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PricingState>
    private let network: CapabilityRef<any Network>
    private let ledger: Ledger

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(PricingState())
        network = try scope.capability((any Network).self)
        self.ledger = ledger
        ledger.singletons.created(Self.componentName, self)
    }

    var state: PricingState { store.state }
    nonisolated var stateStream: StateStream<PricingState> { store.stream }

    func process(_ action: PricingAction) async throws {
        switch action {
        case .quote(let lines):
            let quote = try await quote(lines)
            store.update { $0.quote = quote }
        case .reset:
            store.update { $0.quote = nil }
        }
    }

    private func quote(_ lines: [CartLine]) async throws -> Quote {
        do {
            return try await network.current().post("/prices", lines, answer: Quote.self)
        } catch let error as NetworkError {
            // The second attempt takes the place of the first; its own error is the one that counts.
            ledger.recovered(error)
            return try await network.current().post("/prices", lines, answer: Quote.self)
        }
    }
}
