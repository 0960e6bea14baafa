// SPDX-License-Identifier: Apache-2.0

/// A context that shows the state of a client, and its presentation.
struct ContextTemplate: ComponentTemplate {
    let base: ComponentName
    let client: ExistingClient

    var name: String { "\(base)Context" }

    var registration: String? { "orchestrator.register(\(name).self) { try \(name)($0) }" }

    private var variable: String { client.base.variable }

    var source: String {
        """
        import Axiom
        import Observation

        /// What the screen shows, and what its user does.
        @MainActor
        @Observable
        final class \(name): Context {
            nonisolated let identity: ComponentIdentity
            /// Nil until the first state has arrived.
            private(set) var shown: \(client.name).StateType?
            private let \(variable): ClientOf<\(client.name)>

            init(_ scope: borrowing ContextScope) throws {
                identity = scope.identity
                \(variable) = try scope.client(\(client.name).self)
            }

            func onAppear() async throws {
                observe(\(variable)) { context, state in context.shown = state }
            }

            func handle(_ action: \(client.name).ActionType) async throws {
                try await \(variable).process(action)
            }
        }

        /// Draws the context as text. A view of a user interface has the same form.
        struct \(base)View: Presentation {
            let context: \(name)
            var body: String { context.shown.map { "\\($0)" } ?? "Nothing to show yet." }
        }

        """
    }

    var note: String? {
        guard client.initializerThrows else { return nil }
        return """
            The initializer of \(client.name) throws. If it resolves capabilities, double each of them in \(name)Tests, or its test \
            fails: app.simulate(_:as:), as Documentation/testing.md of Axiom shows.
            """
    }

    func test(of module: String) -> String {
        let make = client.initializerThrows ? "try \(client.name)($0)" : "\(client.name)($0)"
        return """
            import Axiom
            import AxiomTesting
            import Testing

            @testable import \(module)

            @MainActor
            @Suite("\(name)", .timeLimit(.minutes(1)))
            struct \(name)Tests {
                @Test("Shows the state of its client when it appears, and leaves nothing behind")
                func appears() async throws {
                    let app = TestOrchestrator { orchestrator in
                        // Double what the client depends on: app.simulate(_:as:).
                        orchestrator.register(\(client.name).self) { \(make) }
                        \(registration ?? "")
                    }
                    let screen = try await app.context(\(name).self)
                    #expect(try screen.context.shown != nil)
                    await screen.finish()
                }
            }

            """
    }
}
