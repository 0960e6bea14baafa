// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import Foundation
import Testing

@testable import AxiomStorage

@Suite("Conflicts of a sync engine", .timeLimit(.minutes(10)))
struct SyncConflictTests {
    /// Runs an engine whose server answers the payload 1 with a conflict.
    private func run(
        attempts: Int = 10,
        _ resolve: @escaping SyncEngine.Resolver,
        until condition: (OutboxStatus) -> Bool
    ) async throws -> SyncWorld {
        let world = try SyncWorld { $0.maximumAttempts = attempts }
        world.answer { $0.payload.first == 1 ? .conflict(remote: Data([9])) : .accepted }
        world.resolve(resolve)
        try await world.engine.start()
        try await world.append(1)
        try await world.append(5)
        world.connect(true)
        await world.wait(condition)
        await world.engine.stop()
        return world
    }

    @Test("A resolver that keeps the local change sends its new payload with the same idempotency key (SYN-04)")
    func keepLocal() async throws {
        let world = try await run(
            { change, remote in
                #expect(change.payload == Data([1]) && remote == Data([9]))
                return .keepLocal(Data([2]))
            },
            until: { $0.pending == 0 }
        )
        #expect(world.payloads == [1, 2, 5], "before the later changes of the key")
        #expect(world.received[0].id == world.received[1].id)
    }

    @Test("A resolver that takes the remote state gives the change up (SYN-04)")
    func takeRemote() async throws {
        let world = try await run({ _, _ in .takeRemote }, until: { $0.pending == 0 })
        #expect(world.payloads == [1, 5] && world.errors.isEmpty)
    }

    @Test("Without a resolver a conflict sets the change aside, which blocks its key (SYN-04)")
    func setAside() async throws {
        let world = try await run(SyncEngine.setAside, until: { $0.setAside == 1 })
        #expect(world.payloads == [1] && world.outbox.status.pending == 1 && world.errors == ["AXIOM_OFFLINE_006"])
    }

    @Test("A conflict that no new payload resolves is set aside after the attempts (SYN-04)")
    func endless() async throws {
        let world = try await run(attempts: 4, { _, _ in .keepLocal(Data([1, 1])) }, until: { $0.setAside == 1 })
        #expect(world.payloads == [1, 1, 1, 1])
    }

    @Test("A resolver that fails is called again at the next attempt (SYN-04)")
    func failing() async throws {
        let world = try SyncWorld()
        world.answer { _ in .conflict(remote: Data()) }
        world.resolve { change, _ in
            if change.attempts == 0 { throw SyncWorld.Broken() }
            return .takeRemote
        }
        try await world.engine.start()
        try await world.append(1)
        world.connect(true)
        await world.waitForAttempts(1)
        await world.waitUntilIdle()
        world.time.advance(by: .seconds(10))
        await world.wait { $0.pending == 0 }
        #expect(world.received.count == 2)
        await world.engine.stop()
    }

    @Test("The new payload of a conflict survives a crash before it is sent (SYN-04)")
    func crash() async throws {
        let world = try SyncWorld()
        world.answer { _ in .conflict(remote: Data()) }
        world.resolve { _, _ in .keepLocal(Data([2])) }
        let storage = world.storage
        // The process ends after the new payload was stored.
        let outbox = world.outbox
        try await world.append(1)
        let change = try #require(await outbox.take())
        try await outbox.replace(change.id, payload: Data([2]))
        let restarted = try SyncWorld(storage.crash())
        try await restarted.engine.start()
        restarted.connect(true)
        await restarted.waitForAttempts(1)
        #expect(restarted.received.first?.id == change.id && restarted.payloads == [2])
        await restarted.engine.stop()
    }
}
