// SPDX-License-Identifier: Apache-2.0

internal import Axiom

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
    case save

    static let caseNames = ["add", "remove", "clear", "save"]

    var caseIndex: Int {
        switch self {
        case .add: 0
        case .remove: 1
        case .clear: 2
        case .save: 3
        }
    }
}

/// The contents of the cart.
struct CartState: OwnedState, Codable {
    /// The maximum quantity of one article.
    static let maximumQuantity = 99

    var lines: [CartLine] = []

    /// Adds to the quantity of an article, up to ``maximumQuantity``.
    mutating func add(_ article: String, _ quantity: Int) {
        if let index = lines.firstIndex(where: { $0.article == article }) {
            lines[index].quantity = min(Self.maximumQuantity, lines[index].quantity + quantity)
        } else {
            lines.append(CartLine(article: article, quantity: min(Self.maximumQuantity, quantity)))
        }
    }
}

/// The cart. Each change is written to storage.
actor CartClient: Client, Component {
    private static let file = "cart.json"

    nonisolated let identity: ComponentIdentity
    private let store: StateStore<CartState>
    private let storage: CapabilityRef<any Storage>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.store(CartState())
        storage = try scope.capability((any Storage).self)
    }

    var state: CartState { store.state }
    nonisolated var stateStream: StateStream<CartState> { store.stream }

    func activate() async throws {
        guard let bytes = try await storage.call({ try await $0.read(Self.file) }) else { return }
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
        // The state is read when the file is written, so the last write has the latest state.
        try await storage.call { try await $0.update(Self.file) { [store] _ in try JSON.encode(store.state) } }
    }
}
