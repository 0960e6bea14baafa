// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

private struct DraftState: OwnedState, Codable {
    var count = 0
}

/// Has each kind of store, and an outbox, in one storage.
private actor DepotClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let draft: PersistentStore<DraftState>
    nonisolated let ledger: DurableStore<NoteState>
    nonisolated let outbox: Outbox

    init(_ scope: borrowing ClientScope, _ storage: CapabilityRef<FaultyCapability>) throws {
        identity = scope.identity
        draft = scope.persistentStore(DraftState(), "draft", in: storage)
        ledger = scope.persistentStore(NoteState(), "ledger", in: storage, durability: .beforePublishing)
        outbox = try Outbox("orders", in: storage)
        #expect(throws: OfflineError.self) { try Outbox("a/b", in: storage) }
    }

    init(_ scope: borrowing ClientScope, _ storage: CapabilityRef<any KeyValueStorage>) throws {
        identity = scope.identity
        draft = scope.persistentStore(DraftState(), "draft", in: storage)
        ledger = scope.persistentStore(NoteState(), "ledger", in: storage, durability: .beforePublishing)
        outbox = try Outbox("orders", in: storage)
        #expect(throws: OfflineError.self) { try Outbox("a/b", in: storage) }
    }

    func activate() async throws {
        try await draft.load()
        try await ledger.load()
    }

    var state: NoteState { ledger.state }
    nonisolated var stateStream: StateStream<NoteState> { ledger.stream }
    func process(_ action: NoAction) async throws {}
}

@MainActor
@Suite("What a client keeps in a storage that is a capability", .timeLimit(.minutes(10)))
struct ClientStorageTests {
    private final class Made: Sendable {
        let client = Lock<DepotClient?>(nil)
    }

    private let storage = FaultyStorage()
    private let made = Made()

    private func register(on orchestrator: Orchestrator, isKnownByProtocol: Bool) {
        let (storage, made) = (storage, made)
        if isKnownByProtocol {
            orchestrator.register(FaultyCapability.self, as: (any KeyValueStorage).self) {
                FaultyCapability($0, storage)
            }
        } else {
            orchestrator.register(FaultyCapability.self) { FaultyCapability($0, storage) }
        }
        orchestrator.register(DepotClient.self) { scope in
            let client =
                isKnownByProtocol
                ? try DepotClient(scope, try scope.capability((any KeyValueStorage).self))
                : try DepotClient(scope, try scope.capability(FaultyCapability.self))
            made.client.withLock { $0 = client }
            return client
        }
    }

    @Test(
        "Its states and its changes are there in the next run, whether it knows the type or the protocol (PER-03, SYN-02)",
        arguments: [false, true]
    )
    func nextRun(isKnownByProtocol: Bool) async throws {
        for run in 1...2 {
            let orchestrator = Orchestrator(limits: .endless)
            register(on: orchestrator, isKnownByProtocol: isKnownByProtocol)
            try await orchestrator.start()
            let client = try #require(made.client.withLock { $0 })
            #expect(client.draft.state.count == run - 1 && client.ledger.state.count == run - 1)
            #expect(try await client.outbox.pendingChanges.map(\.payload) == (1..<run).map { Data([UInt8($0)]) })
            client.draft.update { $0.count += 1 }
            try await client.ledger.update { $0.count += 1 }
            try await client.outbox.append("place", Data([UInt8(run)]))
            await orchestrator.shutdown()
        }
        let names = storage.memory.contents.keys.map(\.name).sorted()
        #expect(names.filter { !$0.hasPrefix("outbox/orders/") } == ["draft", "ledger"])
        #expect(names.count == 4)
    }
}
