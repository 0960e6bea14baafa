// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

@Suite("A state that is durable before it is published", .timeLimit(.minutes(10)))
@MainActor
struct DurableStoreTests {
    private struct Refused: Error {}

    @Test("A state is stored before subscribers see it (PER-03)")
    func order() async throws {
        let world = try await StoreWorld.ledger()
        let store = try world.ledger
        world.storage.plan(.hold, at: 1)
        let update = Task {
            try await store.update(.critical) {
                $0.count += 1
                return $0.count
            }
        }
        await world.storage.waitForCalls(1)
        #expect(store.state.count == 0 && world.stored("ledger") == nil)
        world.storage.release()
        #expect(try await update.value == 1)
        #expect(store.state.count == 1 && world.stored("ledger")?.count == 1)
        var states = store.stream.makeAsyncIterator()
        #expect(try await states.next()?.count == 1)
        await world.orchestrator.shutdown()
        #expect(world.storage.calls == 1 && world.codes.isEmpty)
    }

    @Test("Updates run one after another, in the order of their calls, each on the result of the one before (PER-03)")
    func serial() async throws {
        let world = try await StoreWorld.ledger()
        let store = try world.ledger
        world.storage.plan(.hold, at: 1)
        var updates: [Task<Void, any Error>] = []
        for number in 0..<20 {
            updates.append(Task { try await store.update { $0.text += "\(number)," } })
            await world.wait { store.saver.machine.waiterCount == number && world.storage.calls == 1 }
        }
        world.storage.release()
        for update in updates { try await update.value }
        #expect(store.state.text == (0..<20).map { "\($0)," }.joined())
        #expect(world.stored("ledger") == store.state && world.storage.calls == 20)
    }

    @Test("A failed save leaves the former state published and throws, and the former state is stored again (PER-03)")
    func failure() async throws {
        let world = try await StoreWorld.ledger()
        let store = try world.ledger
        try await store.update { $0.text = "former" }
        world.storage.plan(.failAfterwards, at: 2)
        world.storage.plan(.fail, at: 3)
        let error = await #expect(throws: PersistenceError.self) { try await store.update { $0.text = "refused" } }
        #expect(error?.code.rawValue == "AXIOM_PERSISTENCE_001")
        #expect(
            store.state.text == "former" && world.stored("ledger")?.text == "refused",
            "the disk took it all the same"
        )
        while world.storage.calls < 4 {
            world.time.advance(by: .milliseconds(50))
            await Task.yield()
        }
        await world.wait { world.stored("ledger")?.text == "former" }
        await world.wait { store.saver.machine.oldestUnsaved == nil }
        #expect(world.codes.isEmpty, "the caller got the error")
    }

    @Test("A shutdown stores the former state again if the disk may have a refused one (PER-03)")
    func shutdown() async throws {
        let world = try await StoreWorld.ledger()
        let store = try world.ledger
        world.storage.plan(.failAfterwards, at: 1)
        await #expect(throws: PersistenceError.self) { try await store.update { $0.text = "refused" } }
        await world.orchestrator.shutdown()
        #expect(world.stored("ledger") == NoteState() && world.codes.isEmpty)
        let closed = await #expect(throws: PersistenceError.self) { try await store.update { $0.count = 1 } }
        #expect(closed?.code.rawValue == "AXIOM_PERSISTENCE_005")
    }

    @Test("A body that throws or changes nothing costs no save, and the next update runs (PER-03)")
    func noSave() async throws {
        let world = try await StoreWorld.ledger()
        let store = try world.ledger
        await #expect(throws: Refused.self) {
            try await store.update { state in
                state.count = 9
                throw Refused()
            }
        }
        try await store.update { $0.count = 0 }
        #expect(world.storage.calls == 0)
        try await store.update { $0.count = 1 }
        #expect(world.stored("ledger")?.count == 1)
    }

    @Test("An update that is cancelled while it waits for another one does not run (PER-03)")
    func cancelled() async throws {
        let world = try await StoreWorld.ledger()
        let store = try world.ledger
        world.storage.plan(.hold, at: 1)
        let first = Task { try await store.update { $0.text = "first" } }
        await world.storage.waitForCalls(1)
        let second = Task { try await store.update { $0.text = "second" } }
        await world.wait { store.saver.machine.waiterCount == 1 }
        second.cancel()
        await #expect(throws: CancellationError.self) { try await second.value }
        world.storage.release()
        try await first.value
        try await store.update { $0.count = 3 }
        #expect(store.state == NoteState(text: "first", count: 3) && world.stored("ledger") == store.state)
    }

    @Test("The next run continues with the state (PER-03)")
    func nextRun() async throws {
        let world = try await StoreWorld.ledger(["ledger": StoreWorld.bytes(1, #"{"count":4,"text":"t"}"#)])
        let store = try world.ledger
        #expect(store.state == NoteState(text: "t", count: 4))
        #expect(try await store.load() == .loadedBefore)
    }
}
