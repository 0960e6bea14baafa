// SPDX-License-Identifier: Apache-2.0

package import AxiomMacros

/// One article in the cart.
package struct CartLine: Hashable, Sendable {
    package let article: String
    package var quantity: Int

    package init(article: String, quantity: Int) {
        (self.article, self.quantity) = (article, quantity)
    }
}

/// The contents of the cart.
@AxiomState
package struct CartState {
    /// The maximum quantity of one article.
    package static let maximumQuantity = 99

    package var lines: [CartLine] = []
    package private(set) var orders = 0
    package var note: String?

    mutating func add(_ article: String, _ quantity: Int) {
        if let index = lines.firstIndex(where: { $0.article == article }) {
            lines[index].quantity = min(Self.maximumQuantity, lines[index].quantity + quantity)
        } else {
            lines.append(CartLine(article: article, quantity: min(Self.maximumQuantity, quantity)))
        }
    }

    mutating func order() {
        (lines, orders) = ([], orders + 1)
    }
}

/// What a client of the cart does.
@AxiomAction
package enum CartAction {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case `default`
    case order
}

/// Where orders are sent.
@AxiomCapability
package actor Shipping {
    private var parcels = 0
    @Capability let scale: CapabilityRef<Scale>

    func ship(_ lines: [CartLine]) async throws -> Int {
        parcels += try await scale.call { await $0.weight(of: lines) }
        return parcels
    }
}

/// Weighs parcels.
@AxiomCapability
package actor Scale {
    func weight(of lines: [CartLine]) -> Int { lines.reduce(0) { $0 + $1.quantity } }
}

/// The cart.
@AxiomClient(CartState.self)
package actor CartClient {
    @Capability private let shipping: CapabilityRef<Shipping>

    package func process(_ action: CartAction) async throws {
        switch action {
        case .add(let article, let quantity): store.update { $0.add(article, quantity) }
        case .remove(let article): store.update { $0.lines.removeAll { $0.article == article } }
        case .default: store.update { $0 = CartState(lines: [CartLine(article: "tea", quantity: 1)]) }
        case .order:
            let lines = store.state.lines
            guard !lines.isEmpty else { throw EmptyCart() }
            _ = try await shipping.call { try await $0.ship(lines) }
            store.update(.critical) { $0.order() }
        }
    }
}

/// Nothing can be ordered.
struct EmptyCart: Error {}

/// What people do, for the shop's statistics.
@AxiomAction
package enum ActivityAction {
    case record(String)
}

/// The shop's statistics, without a state that somebody sees.
@AxiomClient
package actor ActivityClient {
    private var events: [String] = []

    package func process(_ action: ActivityAction) async throws {
        switch action {
        case .record(let event): events.append(event)
        }
    }
}
