// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

private enum Draft: Sendable {
    struct State: OwnedState, Codable { var count = 0 }
}

/// Keeps its state under a key that a test chooses, in one of two storages.
private actor FirstClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: PersistentStore<NoteState>

    init(_ scope: borrowing ClientScope, _ key: StorageKey) throws {
        identity = scope.identity
        store = scope.persistentStore(NoteState(), key, in: try scope.capability(FaultyCapability.self))
    }

    func activate() async throws { try await store.load() }
    var state: NoteState { store.state }
    nonisolated var stateStream: StateStream<NoteState> { store.stream }
    func process(_ action: NoAction) {}
}

private actor SecondClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    private let store: DurableStore<Draft.State>

    init(_ scope: borrowing ClientScope, _ key: StorageKey, inOther: Bool) throws {
        identity = scope.identity
        store =
            inOther
            ? scope.persistentStore(
                Draft.State(),
                key,
                in: try scope.capability((any KeyValueStorage).self),
                durability: .beforePublishing
            )
            : scope.persistentStore(
                Draft.State(),
                key,
                in: try scope.capability(FaultyCapability.self),
                durability: .beforePublishing
            )
    }

    func activate() async throws { try await store.load() }
    var state: Draft.State { store.state }
    nonisolated var stateStream: StateStream<Draft.State> { store.stream }
    func process(_ action: NoAction) {}
}

@MainActor
@Suite("The keys of persistent states", .timeLimit(.minutes(10)))
struct StateKeyTests {
    private let storage = FaultyStorage()
    private let other = FaultyStorage()

    private func start(_ first: StorageKey, _ second: StorageKey, inOther: Bool = false) async throws -> Orchestrator {
        let orchestrator = Orchestrator(limits: .endless)
        let (storage, other) = (storage, other)
        orchestrator.register(FaultyCapability.self) { FaultyCapability($0, storage) }
        orchestrator.register(FaultyCapability.self, as: (any KeyValueStorage).self) { FaultyCapability($0, other) }
        orchestrator.register(FirstClient.self) { try FirstClient($0, first) }
        orchestrator.register(SecondClient.self) { try SecondClient($0, second, inOther: inOther) }
        try await orchestrator.start()
        return orchestrator
    }

    @Test("Two clients with one key in one storage: the second does not start, one error names both")
    func taken() async throws {
        let orchestrator = try await start("cart", "cart")
        let errors = orchestrator.errorBoundary.history.map { $0.error }
        #expect(errors.map { ErrorCode(of: $0) } == ["AXIOM_PERSISTENCE_007"])
        let message = (errors.first as? PersistenceError)?.message ?? ""
        #expect(message.contains("FirstClient") && message.contains("SecondClient"), "\(message)")
        await orchestrator.shutdown()
        #expect(storage.memory.contents.isEmpty)
    }

    @Test("Other keys, and one key in two storages, are no conflict; nor is the next run of the application")
    func free() async throws {
        for _ in 0..<2 {
            for orchestrator in [try await start("cart", "profile"), try await start("cart", "cart", inOther: true)] {
                #expect(orchestrator.errorBoundary.history.isEmpty)
                await orchestrator.shutdown()
            }
        }
    }

    @Test("A claim is free when its owner is released, and a storage at the address of another one is another")
    func claims() throws {
        let (one, two) = (MemoryStorage(), MemoryStorage())
        let client = ComponentDescriptor(kind: .client, name: "CartClient")
        var claim: StorageKeyClaim? = try StorageKeyClaim.make("cart", in: one, for: client)
        #expect(throws: StorageKeyClaim.Taken.self) { try StorageKeyClaim.make("cart", in: one, for: client) }
        let others = [
            try StorageKeyClaim.make("cart", in: two, for: client), try StorageKeyClaim.make("b", in: one, for: client),
        ]
        withExtendedLifetime((claim, others)) {}
        claim = nil
        claim = try StorageKeyClaim.make("cart", in: one, for: client)
        withExtendedLifetime(claim) {}
        for _ in 0..<100 {
            // Keeps the claim longer than the storage.
            let claim = try StorageKeyClaim.make("cart", in: MemoryStorage(), for: client)
            let next = try StorageKeyClaim.make("cart", in: MemoryStorage(), for: client)
            withExtendedLifetime((claim, next)) {}
        }
    }
}
