// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The price of the lines of a cart.
struct Quote: Codable, Hashable, Sendable {
    let lines: [CartLine]
    /// In cents, tax included.
    let total: Int
    /// In cents, included in the total.
    let tax: Int
}

/// The actions of pricing. Frequent, so their names are written by hand.
enum PricingAction: Action {
    case quote([CartLine])
    case reset

    static let caseNames = ["quote", "reset"]

    var caseIndex: Int {
        switch self {
        case .quote: 0
        case .reset: 1
        }
    }
}

/// The latest quote.
struct PricingState: OwnedState {
    var quote: Quote?
}

/// Asks the server for prices.
actor PricingClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<PricingState>
    private let network: CapabilityRef<any Network>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(PricingState())
        network = try scope.capability((any Network).self)
    }

    var state: PricingState { store.state }
    nonisolated var stateStream: StateStream<PricingState> { store.stream }

    func process(_ action: PricingAction) async throws {
        switch action {
        case .quote(let lines):
            let quote = try await network.call { try await $0.post("/prices", lines, answer: Quote.self) }
            store.update { $0.quote = quote }
        case .reset:
            store.update { $0.quote = nil }
        }
    }
}
