// SPDX-License-Identifier: Apache-2.0

import AxiomR4

struct Product {
    let id: Int
    let price: Int
}

struct ProductState {
    var items: [Product]

    var totalPrice: Int { items.reduce(0) { $0 + $1.price } }
}

enum ProductStateUpdate {
    case itemAdded(Product)
    case itemRemoved(Int)
}

enum ProductAction {
    case addItem(Product)
    case removeItem(Int)
}

actor ProductClient: StatefulClient {
    typealias State = ProductState
    typealias StateUpdate = ProductStateUpdate

    private(set) var state = ProductState(items: [Product(id: 0, price: 10)])
    private let (stream, continuation) = AsyncStream.makeStream(of: ProductStateUpdate.self)
    nonisolated var stateUpdates: AsyncStream<ProductStateUpdate> { stream }

    func send(_ action: ProductAction) async throws {
        switch action {
        case .addItem(let item):
            state.items.append(item)
            continuation.yield(.itemAdded(item))
        case .removeItem(let id):
            state.items.removeAll { $0.id == id }
            continuation.yield(.itemRemoved(id))
        }
    }

    deinit {
        continuation.finish()
    }
}
