// SPDX-License-Identifier: Apache-2.0

internal import Axiom
internal import AxiomBase
internal import AxiomStorage

/// One article in the cart.
struct CartLine: Codable, Hashable, Sendable {
    let article: String
    var quantity: Int
}

/// The actions of the cart. They are frequent, so their names are written by hand: the default uses reflection.
enum CartAction: Action {
    case add(article: String, quantity: Int)
    case remove(article: String)
    case clear
    case order(Order)

    static let caseNames = ["add", "remove", "clear", "order"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .clear: 2
        case .order: 3
        }
    }
}

/// The contents of the cart.
struct CartState: OwnedState, Codable {
    /// The maximum quantity of one article.
    static let maximumQuantity = 99

    var lines: [CartLine] = []
    /// The orders that have left the cart, and are not known to be in the queue.
    var leaving: [Order] = []

    /// Adds to the quantity of an article, up to ``maximumQuantity``.
    mutating func add(_ article: String, _ quantity: Int) {
        if let index = lines.firstIndex(where: { $0.article == article }) {
            lines[index].quantity = min(Self.maximumQuantity, lines[index].quantity + quantity)
        } else {
            lines.append(CartLine(article: article, quantity: min(Self.maximumQuantity, quantity)))
        }
    }

    /// Moves an order out of the cart. What was added since the customer saw the cart stays.
    mutating func leave(with order: Order) {
        leaving.append(order)
        for line in order.lines {
            guard let index = lines.firstIndex(where: { $0.article == line.article }) else { continue }
            lines[index].quantity -= line.quantity
            if lines[index].quantity <= 0 { lines.remove(at: index) }
        }
    }

    /// Moves an order that could not be placed back into the cart.
    mutating func takeBack(_ order: Order) {
        forget(order)
        for line in order.lines { add(line.article, line.quantity) }
    }

    mutating func forget(_ order: Order) {
        leaving.removeAll { $0.id == order.id }
    }
}

/// The cart, which outlives the process, and the orders that are made of it.
actor CartClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<CartState>
    private let orders: OrderQueue

    init(_ scope: borrowing ClientScope, clock: TimeSource) throws {
        identity = scope.identity
        let storage = try scope.capability((any KeyValueStorage).self)
        store = scope.persistentStore(CartState(), "cart", in: storage)
        orders = try OrderQueue(scope, try scope.capability((any Network).self), storage, clock: clock)
    }

    var state: CartState { store.state }
    nonisolated var stateStream: StateStream<CartState> { store.stream }

    /// Continues with the cart of the run before. An order that had left it is placed now: it may be in the queue, or sent,
    /// already. Its key is the same, so the server applies it once.
    func activate() async throws {
        try await store.load()
        for order in store.state.leaving {
            try await orders.append(order)
            store.update { $0.forget(order) }
        }
        try await orders.start()
    }

    func deactivate() async {
        await orders.stop()
    }

    func process(_ action: CartAction) async throws {
        switch action {
        case .add(let article, let quantity): store.update { $0.add(article, quantity) }
        case .remove(let article): store.update { $0.lines.removeAll { $0.article == article } }
        case .clear: store.update { $0.lines = [] }
        case .order(let order):
            // A task of its own: an order that has left the cart is placed, even if the customer leaves the screen.
            try await Task { try await place(order) }.value
        }
    }

    /// The order leaves the cart in one durable step and enters the queue in another. If the process ends in between, the
    /// next one knows the order.
    private func place(_ order: Order) async throws {
        store.update(.critical) { $0.leave(with: order) }
        do {
            try await store.flush()
            try await orders.append(order)
        } catch {
            store.update(.critical) { $0.takeBack(order) }
            throw error
        }
        store.update { $0.forget(order) }
    }
}
