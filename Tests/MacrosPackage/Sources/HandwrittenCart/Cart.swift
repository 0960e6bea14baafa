// SPDX-License-Identifier: Apache-2.0

package import Axiom

/// One article in the cart.
package struct CartLine: Hashable, Sendable {
    package let article: String
    package var quantity: Int

    package init(article: String, quantity: Int) {
        (self.article, self.quantity) = (article, quantity)
    }
}

/// The contents of the cart.
package struct CartState: OwnedState {
    /// The maximum quantity of one article.
    package static let maximumQuantity = 99

    package var lines: [CartLine] = []
    package private(set) var orders = 0
    package var note: String?

    package init(lines: [CartLine] = [], orders: Int = 0, note: String? = nil) {
        self.lines = lines
        self.orders = orders
        self.note = note
    }

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
package enum CartAction: Action {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case `default`
    case order

    package static let caseNames = ["add", "remove", "default", "order"]

    package var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .default: 2
        case .order: 3
        }
    }
}

/// Where orders are sent.
package actor Shipping: Capability {
    package nonisolated let identity: ComponentIdentity
    private var parcels = 0
    let scale: CapabilityRef<Scale>

    package init(_ scope: borrowing CapabilityScope) throws {
        identity = scope.identity
        scale = try scope.capability(Scale.self)
    }

    func ship(_ lines: [CartLine]) async throws -> Int {
        parcels += try await scale.call { await $0.weight(of: lines) }
        return parcels
    }
}

/// Weighs parcels.
package actor Scale: Capability {
    package nonisolated let identity: ComponentIdentity

    package init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
    }

    func weight(of lines: [CartLine]) -> Int { lines.reduce(0) { $0 + $1.quantity } }
}

/// The cart.
package actor CartClient: Client, Component {
    package nonisolated let identity: ComponentIdentity
    private let shipping: CapabilityRef<Shipping>
    private let store: StateStore<CartState>

    package init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        shipping = try scope.capability(Shipping.self)
        store = scope.store(CartState())
    }

    package var state: CartState { store.state }
    package nonisolated var stateStream: StateStream<CartState> { store.stream }

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
package enum ActivityAction: Action {
    case record(String)

    package static let caseNames = ["record"]

    package var caseIndex: Int {
        switch self {
        case .record: 0
        }
    }
}

/// The shop's statistics, without a state that somebody sees.
package actor ActivityClient: StatelessClient, Component {
    package nonisolated let identity: ComponentIdentity
    private var events: [String] = []

    package init(_ scope: borrowing ClientScope) {
        identity = scope.identity
    }

    package func process(_ action: ActivityAction) async throws {
        switch action {
        case .record(let event): events.append(event)
        }
    }
}
