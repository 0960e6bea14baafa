// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

@Suite("A persistent state", .timeLimit(.minutes(10)))
@MainActor
struct PersistentStoreTests {
    @Test(
        "A state is loaded when the client is activated, and a burst of changes is one save of the last state (PER-03)"
    )
    func coalesced() async throws {
        let world = try await StoreWorld.note(NotePlan(), ["note": StoreWorld.bytes(1, #"{"count":7,"text":"old"}"#)])
        let store = world.store
        #expect(store.state == NoteState(text: "old", count: 7))
        #expect(await world.clients[0].loaded == .state)
        for number in 1...50 { store.update { $0.count = number } }
        store.update { $0.text = "new" }
        await world.time.waitForSleepers(1)
        world.time.advance(by: .milliseconds(99))
        #expect(world.storage.calls == 0)
        world.time.advance(by: .milliseconds(1))
        await world.storage.waitForCalls(1)
        await world.wait { world.stored() == NoteState(text: "new", count: 50) }
        try await store.flush()
        #expect(world.storage.calls == 1)
        #expect(world.storage.memory.contents["note"] == StoreWorld.bytes(1, #"{"count":50,"text":"new"}"#))
    }

    @Test("A change that ends where it began is not saved, and neither is a flush without a change (PER-03)")
    func unchanged() async throws {
        let world = try await StoreWorld.note()
        world.store.update { $0.text = "" }
        try await world.store.flush()
        #expect(world.storage.calls == 0 && world.time.sleeperCount == 0)
        #expect(await world.clients[0].loaded == .nothing)
    }

    @Test("A change during a save is saved after it (PER-03)")
    func changeDuringSave() async throws {
        let world = try await StoreWorld.note()
        world.storage.plan(.hold, at: 1)
        world.store.update { $0.text = "first" }
        let flush = Task { try await world.store.flush() }
        await world.storage.waitForCalls(1)
        world.store.update { $0.text = "second" }
        world.storage.release()
        try await flush.value
        #expect(world.stored()?.text == "first")
        await world.time.waitForSleepers(1)
        world.time.advance(by: .milliseconds(100))
        await world.wait { world.stored()?.text == "second" }
        #expect(world.storage.calls == 2)
    }

    @Test("A flush during a save waits for a save of its own state, and begins it at once (PER-03)")
    func flushDuringSave() async throws {
        let world = try await StoreWorld.note()
        world.storage.plan(.hold, at: 1)
        world.store.update { $0.text = "first" }
        let early = Task { try await world.store.flush() }
        await world.storage.waitForCalls(1)
        world.store.update { $0.text = "second" }
        let late = Task { try await world.store.flush() }
        await world.wait { world.store.saver.machine.waiterCount == 2 }
        world.storage.release()
        try await early.value
        try await late.value
        #expect(world.stored()?.text == "second" && world.storage.calls == 2 && world.time.sleeperCount == 0)
    }

    @Test("A flush that is cancelled returns at once, and the save continues (PER-03)")
    func cancelledFlush() async throws {
        let world = try await StoreWorld.note()
        world.storage.plan(.hold, at: 1)
        world.store.update { $0.text = "first" }
        let flush = Task { try await world.store.flush() }
        await world.storage.waitForCalls(1)
        flush.cancel()
        await #expect(throws: CancellationError.self) { try await flush.value }
        #expect(world.store.saver.machine.waiterCount == 0)
        world.storage.release()
        await world.wait { world.stored()?.text == "first" }
        try await world.store.flush()
        #expect(world.storage.calls == 1)
    }

    @Test("A failed save is reported once, is repeated after growing delays, and the state stays (PER-03)")
    func failures() async throws {
        let world = try await StoreWorld.note()
        world.storage.plan(.fail, at: 1, 2, 3)
        world.storage.plan(.failAfterwards, at: 4)
        world.store.update { $0.text = "kept" }
        var waits: [Duration] = []
        for call in 1...5 {
            await world.time.waitForSleepers(1)
            let start = world.time.now
            while world.storage.calls < call {
                world.time.advance(by: .milliseconds(10))
                await Task.yield()
            }
            waits.append(start.duration(to: world.time.now))
            await world.wait { world.store.saver.machine.work != .starting }
            if call < 5 { await world.wait { world.store.saver.machine.isWaiting } }
        }
        await world.wait { world.stored()?.text == "kept" && world.store.saver.machine.oldestUnsaved == nil }
        #expect(world.store.state.text == "kept" && world.codes == ["AXIOM_PERSISTENCE_001"])
        #expect(waits[0] >= .milliseconds(100) && waits[4] >= .milliseconds(800), "half of 200 ms times 8")
        let entry = try #require(world.orchestrator.errorBoundary.history.first)
        #expect(entry.origin == ComponentDescriptor(kind: .client, name: "NoteClient"))
    }

    @Test("A flush throws the error of its save, which is then not reported as well (PER-03)")
    func failedFlush() async throws {
        let world = try await StoreWorld.note()
        world.storage.always(.fail)
        world.store.update { $0.text = "kept" }
        let error = await #expect(throws: PersistenceError.self) { try await world.store.flush() }
        #expect(error?.code.rawValue == "AXIOM_PERSISTENCE_001" && error?.isRecoverable == true)
        #expect(error?.cause as? FaultyStorage.Failure == FaultyStorage.Failure(call: 1))
        await world.time.waitForSleepers(1)
        world.time.advance(by: .seconds(1))
        await world.storage.waitForCalls(2)
        await world.wait { world.store.saver.machine.isWaiting }
        #expect(world.codes.isEmpty)
        world.storage.always(nil)
        try await world.store.flush()
        #expect(world.stored()?.text == "kept")
        world.storage.always(.fail)
        world.store.update { $0.text = "next" }
        await world.orchestrator.enterBackground()
        await world.waitForErrors(1)
        #expect(world.codes == ["AXIOM_PERSISTENCE_001"], "another series of failures is reported again")
    }

    @Test("The state is saved when the application enters the background (PER-03)")
    func background() async throws {
        let world = try await StoreWorld.note()
        world.store.update { $0.text = "now" }
        await world.orchestrator.enterBackground()
        #expect(world.stored()?.text == "now" && world.storage.calls == 1)
    }

    @Test("A save that hangs delays neither the background nor the shutdown beyond its limit (PER-03)")
    func hangingSave() async throws {
        let world = try await StoreWorld.note()
        world.storage.always(.hold)
        world.store.update { $0.text = "stuck" }
        for end in [{ await $0.enterBackground() }, { await $0.shutdown() }]
            as [@MainActor (Orchestrator) async -> Void]
        {
            var isDone = false
            let task = Task { @MainActor in
                await end(world.orchestrator)
                isDone = true
            }
            while !isDone {
                world.time.advance(by: .milliseconds(500))
                await Task.yield()
            }
            await task.value
        }
        await world.waitForErrors(2)
        #expect(world.codes.contains("AXIOM_LIFECYCLE_001"), "\(world.codes)")
        #expect(world.storage.calls == 1, "the second save waits for the first")
        world.storage.release()
    }

    @Test("A client that was released is saved, because a change is unsaved (PER-03)")
    func released() async throws {
        let storage = FaultyStorage()
        let time = ManualTime()
        var orchestrator: Orchestrator? = Orchestrator(clock: .manual(time))
        orchestrator?.register(FaultyCapability.self) { FaultyCapability($0, storage) }
        orchestrator?.register(NoteClient.self) { try NoteClient($0, NotePlan(onDeactivate: { _ in })) }
        weak var saver: StateSaver<NoteState>?
        do {
            let note = Lock<NoteClient?>(nil)
            let other = Orchestrator(clock: .manual(time))
            other.register(FaultyCapability.self) { FaultyCapability($0, storage) }
            other.register(NoteClient.self) { scope in
                let client = try NoteClient(scope, NotePlan())
                note.withLock { $0 = client }
                return client
            }
            try await other.start()
            let client = try #require(note.withLock { $0 })
            client.store.update { $0.text = "late" }
            saver = client.store.saver
            note.withLock { $0 = nil }
            orchestrator = other
        }
        #expect(saver != nil)
        await time.waitForSleepers(1)
        orchestrator = nil
        time.advance(by: .milliseconds(100))
        await storage.waitForCalls(1)
        while storage.memory.contents["note"] == nil { await Task.yield() }
    }
}
