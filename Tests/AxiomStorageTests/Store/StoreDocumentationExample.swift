// SPDX-License-Identifier: Apache-2.0

// The first example of Documentation/persistent-state.md. A test compares the two.
import Axiom
import AxiomStorage

struct CartState: OwnedState, Codable {
    var lines: [String: Int] = [:]
}

/// The state of version 1, as long as it may be found.
struct CartState1: Codable {
    var items: [String]
}

enum CartAction: Action {
    case add(String)
    case checkOut
}

actor CartClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<CartState>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.persistentStore(
            CartState(),
            "cart",
            in: try scope.capability((any KeyValueStorage).self),
            version: 2,
            migrate: [
                .from(1) { (old: CartState1) in
                    CartState(lines: Dictionary(old.items.map { ($0, 1) }, uniquingKeysWith: +))
                }
            ]
        )
    }

    func activate() async throws { try await store.load() }
    var state: CartState { store.state }
    nonisolated var stateStream: StateStream<CartState> { store.stream }

    func process(_ action: CartAction) async throws {
        switch action {
        case .add(let item): store.update { $0.lines[item, default: 0] += 1 }
        case .checkOut:
            store.update(.critical) { $0.lines = [:] }
            try await store.flush()
        }
    }
}
