// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

/// A state whose encoding runs code of the test: between the reading of the state and its storing.
private struct HookedState: OwnedState, Codable {
    static let hook = Lock<(@Sendable () -> Void)?>(nil)

    var count = 0

    enum CodingKeys: String, CodingKey { case count }

    func encode(to encoder: any Encoder) throws {
        HookedState.hook.withLock { $0 }?()
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(count, forKey: .count)
    }
}

private actor HookedClient: Client, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let store: PersistentStore<HookedState>

    init(_ scope: borrowing ClientScope) throws {
        identity = scope.identity
        store = scope.persistentStore(HookedState(), "hooked", in: try scope.capability(FaultyCapability.self))
    }

    func activate() async throws { try await store.load() }
    var state: HookedState { store.state }
    nonisolated var stateStream: StateStream<HookedState> { store.stream }
    func process(_ action: NoteAction) {}
}

@Suite("The order of an update and a save", .timeLimit(.minutes(10)), .serialized)
@MainActor
struct StoreOrderTests {
    @Test("An update after a save has read the state, and before it stores it, is not forgotten (PER-03)")
    func updateDuringEncoding() async throws {
        let (storage, time) = (FaultyStorage(), ManualTime())
        let made = Lock<HookedClient?>(nil)
        let orchestrator = Orchestrator(clock: .manual(time))
        orchestrator.register(FaultyCapability.self) { FaultyCapability($0, storage) }
        orchestrator.register(HookedClient.self) { scope in
            let client = try HookedClient(scope)
            made.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        let store = try #require(made.withLock { $0 }).store
        HookedState.hook.withLock { hook in hook = { if store.state.count == 1 { store.update { $0.count = 2 } } } }
        defer { HookedState.hook.withLock { $0 = nil } }
        store.update { $0.count = 1 }
        await time.waitForSleepers(1)
        time.advance(by: .milliseconds(100))
        await storage.waitForCalls(1)
        try #require(store.saver.machine.isDirty)
        await time.waitForSleepers(1)
        time.advance(by: .milliseconds(100))
        await storage.waitForCalls(2)
        await orchestrator.shutdown()
        #expect(storage.memory.contents["hooked"] == StoreWorld.bytes(1, #"{"count":2}"#))
        #expect(storage.calls == 2)
    }
}
