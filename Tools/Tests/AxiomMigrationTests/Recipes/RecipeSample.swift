// SPDX-License-Identifier: Apache-2.0

import AxiomMigration
import AxiomSyntax
import Testing

/// A text that one recipe changes, and one that it leaves as it is.
struct RecipeSample: Sendable, CustomTestStringConvertible {
    let recipe: String
    let old: String
    let new: String
    /// Looks similar, and must not change.
    let untouched: String
    /// What the note about ``untouched`` says; nil if there is none.
    var note: String?

    var testDescription: String { recipe }

    /// Runs the recipe over a file, beside another one that imports Axiom.
    func run(_ text: String) throws -> RecipeRun.Outcome {
        let recipe = try #require(Recipe.all.first { $0.id.rawValue == self.recipe })
        let files = ["Sources/App.swift": text, "Sources/Imports.swift": "import Axiom\n"].map { path, text in
            SourceText(path: path, bytes: Array(text.utf8))
        }
        return RecipeRun(files, recipes: [recipe]).run()
    }
}

extension RecipeSample {
    static let names = [
        RecipeSample(
            recipe: "import-names",
            old: "import AxiomR4\nimport Foundation\n",
            new: "import Axiom\nimport Foundation\n",
            untouched: "import AxiomR4Extras\nimport Foundation\n"
        ),
        RecipeSample(
            recipe: "axiom-error-cases",
            old: """
                final class Network: ManagedCapability {
                    var last: AxiomError?
                    func call() throws { throw AxiomError.capabilityUnavailable("Network") }
                }
                """,
            new: """
                final class Network: ManagedCapability {
                    var last: (any AxiomError)?
                    func call() throws { throw CapabilityError.unavailable("Network", because: "it is not available") }
                }
                """,
            untouched: """
                final class Network: ManagedCapability {
                    func call() throws { throw AxiomError.capabilityTimeout("Network") }
                }
                """,
            note: "has no equal"
        ),
        RecipeSample(
            recipe: "test-doubles",
            old: """
                actor UserClient: StatefulClient { var state = UserState() }
                extension UserClient: TestableClient {
                    typealias MockState = UserState
                    func reset(to state: UserState) {}
                }
                """,
            new: """
                actor UserClient: StatefulClient { var state = UserState() }
                extension UserClient: TestableClient {
                    func reset(to state: UserState) {}
                }
                """,
            untouched: """
                class Network: Capability { func checkAvailability() async -> Bool { true } }
                class MockNetwork: Network {}
                func f(_ r: CapabilityRegistry) {}
                """,
            note: "simulated capability"
        ),
    ]

    static let states = [
        RecipeSample(
            recipe: "state-protocol",
            old: """
                struct Item { var name = "" }
                struct CartState { var items: [Item] = [] }
                actor CartClient: StatefulClient { var state = CartState() }
                """,
            new: """
                struct Item: Hashable, Sendable { var name = "" }
                struct CartState: OwnedState { var items: [Item] = [] }
                actor CartClient: StatefulClient { var state = CartState() }
                """,
            untouched: """
                class CartState { var items: [Int] = [] }
                actor CartClient: StatefulClient { var state = CartState() }
                """,
            note: "make it a struct"
        ),
        RecipeSample(
            recipe: "drop-state-id",
            old: """
                struct CartState: State {
                    let id = UUID()
                    var count = 0
                }
                final class CartClient: BaseClient<CartState, CartAction> {}
                """,
            new: """
                struct CartState: State {
                    var count = 0
                }
                final class CartClient: BaseClient<CartState, CartAction> {}
                """,
            untouched: """
                struct CartState: State {
                    let id = UUID()
                    var count = 0
                }
                final class CartClient: BaseClient<CartState, CartAction> {
                    func log() { print(state.id) }
                }
                """,
            note: "may be read"
        ),
        RecipeSample(
            recipe: "store-for-state",
            old: """
                actor CartClient: StatefulClient {
                    private(set) var state = CartState()
                    func send(_ action: CartAction) async throws {
                        self.state.items.append(1)
                        state.count += 1
                        state.items = try await load()
                        print(state.count)
                    }
                }
                """,
            new: """
                actor CartClient: StatefulClient {
                    private let store: StateStore<CartState>
                    var state: CartState { store.state }
                    func send(_ action: CartAction) async throws {
                        store.update { state in state.items.append(1) }
                        store.update { state in state.count += 1 }
                        let newItems = try await load()
                        store.update { state in state.items = newItems }
                        print(state.count)
                    }
                }
                """,
            untouched: """
                actor CartLog {
                    private(set) var state = CartState()
                    func send() { state.count += 1 }
                }
                """
        ),
    ]
}
