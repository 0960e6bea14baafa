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
                let simulation = Simulation()
                simulation.on("value", answer: "tea")
                let double = try await TestScopes().capability { Fake\(base)($0, simulation) }
                #expect(try await double.value(for: "key") == "tea")
                #expect(simulation.calls == ["value"])
            }
        }

        """
    }
}
