// SPDX-License-Identifier: Apache-2.0

import AxiomTestSupport
import Foundation
import Testing

@Suite(
    "Old names in a project that moves file by file",
    .timeLimit(.minutes(10)),
    .enabled(if: ExternalTool.swiftc.mayRun, "\(ExternalTool.swiftc.installation)")
)
struct CompatibilityTests {
    @Test("They compile with the trait, and each use is a warning with the new name (TL-G6)")
    func names() async throws {
        let folder = try MigrationFolder([
            "Use.swift": """
            import Axiom
            import Observation

            struct CartState: OwnedState { var count = 0 }
            enum CartAction: Action { case add }
            actor CartClient: StatefulClient, Component {
                nonisolated let identity: ComponentIdentity
                private let store: StateStore<CartState>
                init(_ scope: borrowing ClientScope) {
                    identity = scope.identity
                    store = scope.store(CartState())
                }
                var state: CartState { store.state }
                nonisolated var stateStream: StateStream<CartState> { store.stream }
                func process(_ action: CartAction) async throws { store.update { $0.count += 1 } }
            }
            actor Network: ManagedCapability {
                nonisolated let identity: ComponentIdentity
                init(_ scope: borrowing CapabilityScope) { identity = scope.identity }
                func check() async -> Bool { await checkAvailability() }
            }
            @MainActor @Observable final class CartContext: Context {
                nonisolated let identity: ComponentIdentity
                private let cart: ClientOf<CartClient>
                init(_ scope: borrowing ContextScope) throws {
                    identity = scope.identity
                    cart = try scope.client(CartClient.self)
                }
                func handle(_ action: CartAction) async throws {
                    try await cart.send(action)
                    print(contextId, cart.stateUpdates)
                }
            }

            """
        ])
        let sources = Repository.root.appending(path: "Sources/AxiomCompatibility")
        let files = try FileManager.default.contentsOfDirectory(atPath: sources.path).map {
            sources.appending(path: $0).path
        }
        let result = try await Compiler().check(
            files + [folder.path("Use.swift")],
            module: "AxiomCompatibility",
            version: "6",
            options: ["-D", "Compatibility"]
        )
        #expect(result.status == 0, "\(result.errors)")
        for name in ["Client", "Capability", "isAvailable", "process(_:)", "stateStream"] {
            #expect(result.errors.contains("renamed to '\(name)'"), "\(name)\n\(result.errors)")
        }
    }
}
