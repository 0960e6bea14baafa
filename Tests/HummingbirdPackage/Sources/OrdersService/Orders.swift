// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomStorage
import Logging
import Metrics

struct Order: Codable, Hashable, Sendable {
    let number: Int
    let item: String
    let pieces: Int
    let cents: Int
}

struct OrdersState: OwnedState, Codable {
    var open: [Order] = []
    var count = 0
}

enum OrdersAction: Action {
    typealias Answer = [Order]
    case place(String)
    case ship
}

extension FeatureFlag where Value == Bool {
    static let dozens = FeatureFlag("dozens", fallback: false)
}

actor OrdersClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<OrdersState>
    private let flags: FeatureFlags
    private let list: CapabilityRef<any PriceList>
    private let prices: Cache<String, Int>
    private let logger = Logger(label: "orders")
    private let shipped = Counter(label: "orders.shipped")

    init(_ scope: borrowing ClientScope, prices: Cache<String, Int>) throws {
        identity = scope.identity
        flags = try scope.service(FeatureFlags.self)
        list = try scope.capability((any PriceList).self)
        store = scope.persistentStore(OrdersState(), "orders", in: try scope.capability((any KeyValueStorage).self))
        self.prices = prices
    }

    func activate() async throws { try await store.load() }
    var state: OrdersState { store.state }
    nonisolated var stateStream: StateStream<OrdersState> { store.stream }

    /// Answers the orders that were placed or shipped. They are durable then: not even a crash loses them.
    func process(_ action: OrdersAction) async throws -> [Order] {
        switch action {
        case .place(let item):
            let price = try await price(of: item)
            let pieces = flags.evaluate(.dozens).value ? 12 : 1
            let order = Order(number: state.count + 1, item: item, pieces: pieces, cents: pieces * price)
            store.update { ($0.open, $0.count) = ($0.open + [order], order.number) }
            try await store.flush()
            logger.info("order placed", metadata: ["number": "\(order.number)", "item": "\(item)"])
            return [order]
        case .ship:
            let orders = state.open
            guard !orders.isEmpty else { return [] }
            store.update { $0.open = [] }
            try await store.flush()
            shipped.increment(by: orders.count)
            return orders
        }
    }

    private func price(of item: String) async throws -> Int {
        try await prices.value(for: item) { [list] in
            try await list.call("price") { try await $0.price(of: item) }
        }
    }
}
