// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

@Suite("Persistent states at the shutdown", .timeLimit(.minutes(10)))
@MainActor
struct StoreShutdownTests {
    /// Shuts down while the first attempts to save fail.
    private func shutDown(_ world: StoreWorld) async {
        let shutdown = Task { await world.orchestrator.shutdown() }
        for attempt in 1...2 {
            await world.storage.waitForCalls(attempt)
            // The limit of the step, and the pause before the next attempt.
            await world.time.waitForSleepers(2)
            world.time.advance(by: .milliseconds(100 * attempt))
        }
        await shutdown.value
    }

    @Test("A change of the client's deactivation is on the disk after the shutdown (PER-03)")
    func deactivation() async throws {
        let world = try await StoreWorld.note(NotePlan(onDeactivate: { $0.store.update { $0.text = "last" } }))
        world.store.update { $0.count = 1 }
        await world.orchestrator.shutdown()
        #expect(world.stored() == NoteState(text: "last", count: 1) && world.codes.isEmpty)
    }

    @Test("A save that fails at the shutdown is tried again before the storage is terminated (PER-03)")
    func transientFailure() async throws {
        let world = try await StoreWorld.note()
        world.store.update { $0.text = "last" }
        world.storage.plan(.fail, at: 1, 2)
        await shutDown(world)
        #expect(world.stored()?.text == "last" && world.storage.calls == 3 && world.codes.isEmpty)
    }

    @Test("If the last state is not on the disk after the shutdown, one error says so (PER-03)")
    func lost() async throws {
        let world = try await StoreWorld.note()
        world.store.update { $0.text = "last" }
        world.storage.always(.fail)
        await shutDown(world)
        #expect(world.codes == ["AXIOM_PERSISTENCE_006"] && world.storage.calls == 3)
        let error = try #require(world.orchestrator.errorBoundary.history.last?.error as? PersistenceError)
        #expect(error.message.contains("NoteState (key note)") && error.cause is PersistenceError)
        world.storage.always(nil)
        // Nothing sleeps, and no save has begun, so no later time begins one.
        #expect(world.time.sleeperCount == 0)
        world.time.advance(by: .seconds(60))
        await world.orchestrator.quiet()
        #expect(world.storage.calls == 3 && world.store.state.text == "last")
        let closed = await #expect(throws: PersistenceError.self) { try await world.store.flush() }
        #expect(closed?.code.rawValue == "AXIOM_PERSISTENCE_005")
    }

    @Test("A shutdown while a failed save waits for its next attempt saves at once (PER-03)")
    func duringRetry() async throws {
        let world = try await StoreWorld.note()
        world.storage.plan(.fail, at: 1)
        world.store.update { $0.text = "last" }
        await world.time.waitForSleepers(1)
        world.time.advance(by: .milliseconds(100))
        await world.waitForErrors(1)
        #expect(world.codes == ["AXIOM_PERSISTENCE_001"])
        await world.orchestrator.shutdown()
        #expect(world.stored()?.text == "last" && world.storage.calls == 2)
        #expect(world.codes == ["AXIOM_PERSISTENCE_001"] && world.store.saver.machine.oldestUnsaved == nil)
    }

    @Test("A shutdown during a save waits for it and saves what changed after it began (PER-03)")
    func duringSave() async throws {
        let world = try await StoreWorld.note()
        world.storage.plan(.hold, at: 1)
        world.store.update { $0.text = "first" }
        let flush = Task { try await world.store.flush() }
        await world.storage.waitForCalls(1)
        world.store.update { $0.text = "last" }
        let shutdown = Task { await world.orchestrator.shutdown() }
        await world.wait { world.store.saver.machine.waiterCount == 2 }
        world.storage.release()
        try await flush.value
        await shutdown.value
        #expect(world.stored()?.text == "last" && world.codes.isEmpty)
    }

    @Test("The next run of the application continues with the state (PER-03)")
    func nextRun() async throws {
        let world = try await StoreWorld.note()
        world.store.update { $0.text = "kept" }
        await world.orchestrator.shutdown()
        try await world.orchestrator.start()
        #expect(world.clients.count == 2 && world.store.state.text == "kept")
        world.store.update { $0.count = 2 }
        try await world.store.flush()
        #expect(world.stored() == NoteState(text: "kept", count: 2))
    }
}
