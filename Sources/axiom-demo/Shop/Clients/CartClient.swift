// SPDX-License-Identifier: Apache-2.0

internal import Axiom

/// The cart, kept in storage over every change.
actor CartClient: Client, Component {
    private static let file = "cart.json"

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<CartState>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing ClientScope, ledger: Ledger) throws {
        identity = scope.identity
        store = scope.store(CartState())
        storage = try scope.capability((any Storage).self)
        ledger.singletons.created(Self.componentName, self)
    }

    var state: CartState { store.state }
    nonisolated var stateStream: StateStream<CartState> { store.stream }

    func activate() async throws {
        guard let bytes = try await storage.current().read(Self.file) else { return }
        let kept = try JSON.decode(CartState.self, from: bytes)
        store.update { $0 = kept }
    }

    func process(_ action: CartAction) async throws {
        switch action {
        case .add(let article, let quantity): store.update { $0.add(article, quantity) }
        case .remove(let article): store.update { $0.lines.removeAll { $0.article == article } }
        case .clear: store.update { $0.lines = [] }
        case .save: break
        }
        // The state is read when the file is written, so that the last to write has the latest.
        try await storage.current().update(Self.file) { [store] _ in try JSON.encode(store.state) }
    }
}
