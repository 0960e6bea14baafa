// SPDX-License-Identifier: Apache-2.0

/// A client with its state and its actions.
struct ClientTemplate: ComponentTemplate {
    let base: ComponentName

    var name: String { "\(base)Client" }

    var registration: String? { "orchestrator.register(\(name).self) { \(name)($0) }" }

    var source: String {
        """
        import Axiom

        struct \(base)State: OwnedState {
            var items: [String] = []
        }

        enum \(base)Action: Action {
            case add(String)
            case removeAll
        }

        /// Owns the \(base)State: nothing else changes it.
        actor \(name): Client, Component {
            nonisolated let identity: ComponentIdentity
            private let store: StateStore<\(base)State>

            init(_ scope: borrowing ClientScope) {
                identity = scope.identity
                store = scope.store(\(base)State())
            }

            var state: \(base)State { store.state }
            nonisolated var stateStream: StateStream<\(base)State> { store.stream }

            func process(_ action: \(base)Action) async throws {
                switch action {
                case .add(let item): store.update { $0.items.append(item) }
                case .removeAll: store.update { $0.items = [] }
                }
            }
        }

        """
    }

    func test(of module: String) -> String {
        """
        import AxiomTesting
        import Testing

        @testable import \(module)

        @MainActor
        @Suite("\(name)", .timeLimit(.minutes(1)))
        struct \(name)Tests {
            @Test("Adds items, and removes them all")
            func items() async throws {
                let client = try await TestScopes().client { \(name)($0) }
                try await client.process(.add("first"))
                try await client.process(.add("second"))
                #expect(await client.state == \(base)State(items: ["first", "second"]))
                try await client.process(.removeAll)
                #expect(await client.state == \(base)State())
            }
        }

        """
    }
}
