// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/macros.md; a test compares them.

import AxiomMacros
import Observation

@AxiomState struct CartState { var items: [String] = [] }
// swift-format-ignore: OneCasePerLine
@AxiomAction enum CartAction { case add(String), clear }

@AxiomClient(CartState.self) actor CartClient {
    func process(_ action: CartAction) async throws {
        guard case .add(let item) = action else { return store.update { $0.items = [] } }
        store.update { $0.items.append(item) }
    }
}

@AxiomContext @Observable @MainActor final class CartContext {
    @Client private let cart: ClientOf<CartClient>
    @Observes(CartClient.self, \.items) private(set) var items: [String] = []
    func handle(_ action: CartAction) async throws { try await cart.process(action) }
}
