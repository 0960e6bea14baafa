// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
@testable import AxiomStorage
import Foundation
import Testing

@Suite("The signal of persistent states", .timeLimit(.minutes(10)))
@MainActor
struct StoreSignalsTests {
    private struct OtherState: OwnedState, Codable { var count = 0 }

    /// A client with two persistent stores.
    private actor PairClient: Client, Component {
        nonisolated let identity: ComponentIdentity
        nonisolated let note: PersistentStore<NoteState>
        nonisolated let other: PersistentStore<OtherState>

        init(_ scope: borrowing ClientScope) throws {
            identity = scope.identity
            let storage = try scope.capability(FaultyCapability.self)
            note = scope.persistentStore(NoteState(), "note", in: storage)
            other = scope.persistentStore(OtherState(), "other", in: storage)
        }

        func activate() async throws {
            try await note.load()
            try await other.load()
        }
        var state: NoteState { note.state }
        nonisolated var stateStream: StateStream<NoteState> { note.stream }
        func process(_ action: NoteAction) {}
    }

    private let name = "axiom_storage_unsaved_seconds NoteClient"

    @Test("The age of the oldest unsaved change grows while a save hangs, and is 0 when it is saved (PER-03)")
    func age() async throws {
        let values = SignalValues()
        let world = try await StoreWorld.note(instrumentation: values)
        #expect(values[name] == 0)
        world.storage.plan(.hold, at: 1)
        world.store.update { $0.count = 1 }
        await world.time.waitForSleepers(2)
        world.time.advance(by: .milliseconds(400))
        await world.storage.waitForCalls(1)
        world.store.update { $0.count = 2 }
        for second in 1...3 {
            world.time.advance(by: .milliseconds(second == 1 ? 600 : 1_000))
            await world.wait { values[name] == Double(second) }
            await world.time.waitForSleepers(1)
        }
        world.storage.release()
        // The second change is 2.6 s old, and its own delay is over.
        await world.wait { values[name] == 0 }
        #expect(world.stored()?.count == 2)
        await world.wait { world.time.sleeperCount == 0 }
    }

    @Test("The age of a client is that of the oldest change of all its stores (PER-03)")
    func severalStores() async throws {
        let values = SignalValues()
        let storage = FaultyStorage()
        let time = ManualTime()
        let made = Lock<PairClient?>(nil)
        let orchestrator = Orchestrator(instrumentation: values, clock: .manual(time))
        orchestrator.register(FaultyCapability.self) { FaultyCapability($0, storage) }
        orchestrator.register(PairClient.self) { scope in
            let client = try PairClient(scope)
            made.withLock { $0 = client }
            return client
        }
        try await orchestrator.start()
        let client = try #require(made.withLock { $0 })
        let name = "axiom_storage_unsaved_seconds PairClient"
        storage.plan(.hold, at: 1)
        client.note.update { $0.count = 1 }
        let flush = Task { try await client.note.flush() }
        await storage.waitForCalls(1)
        client.other.update { $0.count = 1 }
        try await client.other.flush()
        await time.waitForSleepers(1)
        time.advance(by: .seconds(1))
        while values[name] != 1 { await Task.yield() }
        storage.release()
        try await flush.value
        while values[name] != 0 { await Task.yield() }
        await orchestrator.shutdown()
        #expect(storage.memory.contents.count == 2)
    }

    @Test("After a shutdown without a save the gauge rests, because the error says what is lost (PER-03)")
    func lost() async throws {
        let values = SignalValues()
        let world = try await StoreWorld.note(NotePlan(loads: false), instrumentation: values)
        world.store.update { $0.count = 1 }
        await world.time.waitForSleepers(1)
        world.time.advance(by: .seconds(1))
        await world.wait { values[name] == 1 }
        await world.orchestrator.shutdown()
        #expect(world.codes == ["AXIOM_PERSISTENCE_006"])
        #expect(values[name] == 0)
        await world.wait { world.time.sleeperCount == 0 }
    }
}
#endif
