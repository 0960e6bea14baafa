// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("Persistent states under concurrent use", .timeLimit(.minutes(10)))
@MainActor
struct StoreRaceTests {
    /// Lets one in four of the first transactions fail, half of them after the value was stored.
    private func breakSome(_ storage: FaultyStorage, seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for call in 1...20_000 where random.index(below: 4) == 0 {
            storage.plan(random.index(below: 2) == 0 ? .fail : .failAfterwards, at: call)
        }
    }

    /// An application whose stored state is not loaded yet. Reads wait.
    private func unloaded() async throws -> StoreWorld {
        var plan = NotePlan()
        plan.loads = false
        let world = try await StoreWorld.note(plan, ["note": StoreWorld.bytes(1, #"{"text":"stored","count":1}"#)])
        world.storage.holdReads()
        return world
    }

    @Test("A second load waits for the first one, and does not replace what changed after it (PER-03)")
    func twoLoads() async throws {
        let world = try await unloaded()
        let (store, storage) = (world.store, world.storage)
        let first = Task { try await store.load() }
        await world.wait { storage.heldReads == 1 }
        let second = Task { try await store.load() }
        await world.wait { storage.heldReads == 2 || store.saver.waitingLoads == 1 }
        storage.releaseRead()
        #expect(try await first.value == .state)
        store.update { $0.count = 2 }
        storage.releaseRead()
        #expect(try await second.value == .loadedBefore)
        #expect(store.state.count == 2)
        await world.orchestrator.shutdown()
        #expect(world.stored()?.count == 2)
    }

    @Test("If the first load fails or is cancelled, the second one loads (PER-03)")
    func loadAfterFailure() async throws {
        let world = try await unloaded()
        let (store, storage) = (world.store, world.storage)
        storage.failReads(true)
        let first = Task { try await store.load() }
        await world.wait { storage.heldReads == 1 }
        let second = Task { try await store.load() }
        let cancelled = Task { try await store.load() }
        await world.wait { store.saver.waitingLoads == 2 }
        cancelled.cancel()
        await #expect(throws: CancellationError.self) { try await cancelled.value }
        storage.releaseRead()
        await #expect(throws: (any Error).self) { try await first.value }
        await world.wait { storage.heldReads == 1 }
        storage.failReads(false)
        storage.releaseRead()
        #expect(try await second.value == .state)
        #expect(store.state.count == 1)
        await world.orchestrator.shutdown()
    }

    @Test("After a flush that returned, the storage has every state that was visible before it (PER-03)")
    func conservation() async throws {
        let world = try await StoreWorld.note(NotePlan(delay: .zero), isLive: true)
        breakSome(world.storage, seed: TestSeed.drawn())
        let (store, memory) = (world.store, world.storage.memory)
        let (writers, updates) = (4, TestScale.count(40_000))
        let format = StateFormat(version: 1, [])
        let stale = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<writers {
                group.addTask {
                    for number in 0..<updates {
                        store.update { $0.count += 1 }
                        if number % 64 == 0 { await Task.yield() }
                    }
                    return 0
                }
            }
            for _ in 0..<4 {
                group.addTask {
                    var stale = 0
                    for _ in 0..<updates / 100 {
                        let seen = store.state.count
                        while (try? await store.flush()) == nil { await Task.yield() }
                        // A failing save of a later state may follow, but never an earlier state.
                        guard let data = memory.contents["note"],
                            case .state(let stored, _) = format.decode(NoteState.self, data)
                        else {
                            stale += seen > 0 ? 1 : 0
                            continue
                        }
                        if stored.count < seen { stale += 1 }
                    }
                    return stale
                }
            }
            var total = 0
            for await part in group { total += part }
            return total
        }
        #expect(stale == 0)
        #expect(store.state.count == writers * updates)
        await world.orchestrator.shutdown()
        #expect(world.stored() == store.state)
    }

    @Test("Without a flush, the last change of a burst is saved too, wherever it falls into a save (PER-03)")
    func lastChange() async throws {
        let world = try await StoreWorld.note(NotePlan(delay: .zero), isLive: true)
        let (store, memory, seed) = (world.store, world.storage.memory, TestSeed.drawn())
        let rounds = TestScale.count(20_000)
        await Task.detached {
            var random = SeededGenerator(seed: seed)
            for _ in 0..<rounds {
                for _ in 0...random.index(below: 300) { store.update { $0.count += 1 } }
                let bytes = StoreWorld.bytes(1, "{\"count\":\(store.state.count),\"text\":\"\"}")
                while memory.contents["note"] != bytes { await Task.yield() }
            }
        }.value
        #expect(store.state == world.stored())
    }

    @Test("What changed before the shutdown is stored after it, whatever runs beside it (PER-03)")
    func shutdown() async throws {
        for _ in 0..<TestScale.count(400) {
            let world = try await StoreWorld.note(NotePlan(delay: .zero), isLive: true)
            let store = world.store
            let writer = Task.detached {
                while !Task.isCancelled {
                    store.update { $0.count += 1 }
                    await Task.yield()
                }
            }
            // A flush without a change does not suspend. Without the yield, this loop keeps its thread from all others.
            let flusher = Task.detached {
                while (try? await store.flush()) != nil, !Task.isCancelled { await Task.yield() }
            }
            while store.state.count < 20 { await Task.yield() }
            let seen = store.state.count
            await world.orchestrator.shutdown()
            #expect((world.stored()?.count ?? 0) >= seen)
            writer.cancel()
            flusher.cancel()
            await writer.value
            await flusher.value
        }
    }

    @Test("Concurrent durable updates lose none that succeeded, and the disk has what was published (PER-03)")
    func durable() async throws {
        let world = try await StoreWorld.ledger(isLive: true)
        breakSome(world.storage, seed: TestSeed.drawn())
        let store = try world.ledger
        let updates = TestScale.count(20_000)
        let succeeded = await withTaskGroup(of: Int.self) { group in
            for worker in 0..<6 {
                group.addTask {
                    var succeeded = 0
                    for number in 0..<updates {
                        let update = Task { try await store.update { $0.count += 1 } }
                        if (number + worker) % 7 == 0 { update.cancel() }
                        if case .success = await update.result { succeeded += 1 }
                    }
                    return succeeded
                }
            }
            var total = 0
            for await part in group { total += part }
            return total
        }
        #expect(store.state.count == succeeded && succeeded > 0)
        world.storage.always(nil)
        await world.orchestrator.shutdown()
        #expect(world.stored("ledger") == store.state)
    }
}
