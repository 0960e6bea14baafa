// SPDX-License-Identifier: Apache-2.0

// The example of Documentation/offline.md. A test compares the two.
import Axiom
import AxiomStorage
import Foundation

struct OrdersState: OwnedState { var pending = 0 }

enum OrdersAction: Action {
    case place(Data, customer: String)
    case sync
}

/// Accepts orders at any time, and sends them when there is a connection.
actor OrdersClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: StateStore<OrdersState>
    private let outbox: Outbox
    private let engine: SyncEngine
    private var counting: Task<Void, Never>?

    init(_ scope: borrowing ClientScope, in storage: any KeyValueStorage) throws {
        identity = scope.identity
        store = scope.store(OrdersState())
        let shop = try scope.capability(ShopServer.self)
        outbox = try Outbox("orders", in: storage)
        engine = try SyncEngine(scope, outbox, connection: .capability(shop)) { change in
            try await shop.call { try await $0.place(change.payload, idempotencyKey: change.id) }
        }
    }

    var state: OrdersState { store.state }
    nonisolated var stateStream: StateStream<OrdersState> { store.stream }

    func activate() async throws {
        counting = Task { [outbox, store] in await outbox.follow(in: store, \.pending) }
        try await engine.start()
    }

    func deactivate() async {
        await engine.stop()
        counting?.cancel()
    }

    func process(_ action: OrdersAction) async throws {
        switch action {
        case .place(let order, let customer): try await outbox.append("order.place", order, key: customer)
        case .sync: await engine.syncNow()
        }
    }
}
