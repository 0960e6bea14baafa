// SPDX-License-Identifier: Apache-2.0

/// A capability behind a protocol, so that tests replace it.
struct CapabilityTemplate: ComponentTemplate {
    let base: ComponentName

    var name: String { "\(base)" }

    private var live: String { "Live\(base)" }

    var registration: String? {
        "orchestrator.register(\(live).self, as: (any \(base)).self) { \(live)($0) }"
    }

    var source: String {
        """
        import Axiom

        /// What clients call. They resolve it with `scope.capability((any \(base)).self)`.
        protocol \(base): Actor {
            /// - Throws: `NetworkError` if there is no answer.
            func value(for key: String) async throws -> String
        }

        /// The real one.
        actor \(live): \(base), Capability {
            nonisolated let identity: ComponentIdentity

            init(_ scope: borrowing CapabilityScope) {
                identity = scope.identity
            }

            func value(for key: String) async throws -> String {
                // Call the service here.
                "value of \\(key)"
            }
        }

        """
    }

    func test(of module: String) -> String {
        """
        import Axiom
        import AxiomTesting
        import Testing

        @testable import \(module)

        /// A double for the tests of clients: `app.simulate((any \(base)).self, as: Fake\(base).self)`.
        actor Fake\(base): \(base), MockCapability {
            nonisolated let identity: ComponentIdentity
            nonisolated let simulation: Simulation

            init(_ scope: borrowing CapabilityScope, _ simulation: Simulation) {
                (identity, self.simulation) = (scope.identity, simulation)
                simulation.connect(scope)
            }

            func value(for key: String) async throws -> String { try await simulation.answer() }
        }

        /// A client that uses it, as those of the application do.
        actor \(base)Reader: StatelessClient, Component {
            enum Question: Action { case ask(String) }

            nonisolated let identity: ComponentIdentity
            private let service: CapabilityRef<any \(base)>
            private(set) var answer: String?

            init(_ scope: borrowing ClientScope) throws {
                identity = scope.identity
                service = try scope.capability((any \(base)).self)
            }

            func process(_ action: Question) async throws {
                switch action {
                case .ask(let key): answer = try await service.call { try await $0.value(for: key) }
                }
            }
        }

        @MainActor
        @Suite("\(base)", .timeLimit(.minutes(1)))
        struct \(base)Tests {
            @Test("The real one answers")
            func live() async throws {
                let capability = try await TestScopes().capability { \(live)($0) }
                #expect(try await capability.value(for: "key") == "value of key")
            }

            @Test("The double answers what a test tells it to")
            func double() async throws {
                let scopes = TestScopes()
                let service = scopes.simulate((any \(base)).self, as: Fake\(base).self)
                service.on("value", answer: "tea")
                let client = try await scopes.client(stateless: { try \(base)Reader($0) })
                try await client.process(.ask("key"))
                #expect(await client.answer == "tea")
                #expect(service.calls == ["value"])
            }
        }

        """
    }
}
