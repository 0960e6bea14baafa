// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomStorage

@Suite("A synchronisation on request", .timeLimit(.minutes(10)))
struct SyncNowTests {
    @Test("It ends the waits of changes, and the clock does not move (SYN-01)")
    func endsWaits() async throws {
        let world = try SyncWorld()
        world.answer { change in
            if change.attempts == 0 { throw SyncWorld.Broken() }
            return .accepted
        }
        try await world.engine.start()
        world.connect(true)
        for payload in UInt8(1)...3 { try await world.append(payload, key: "\(payload)") }
        await world.waitForAttempts(3)
        await world.waitUntilIdle()
        #expect(world.outbox.status.pending == 3)
        let before = world.time.now
        await world.engine.syncNow()
        await world.wait { $0.pending == 0 }
        #expect(world.time.now == before)
        #expect(world.payloads.suffix(3).sorted() == [1, 2, 3])
        await world.engine.stop()
    }

    @Test("Without a connection it sends nothing (SYN-03)")
    func offline() async throws {
        let world = try SyncWorld()
        try await world.engine.start()
        try await world.append(1)
        await world.engine.syncNow()
        await world.waitUntilIdle()
        #expect(world.received.isEmpty && world.outbox.status.pending == 1)
        world.connect(true)
        await world.wait { $0.pending == 0 }
        await world.engine.stop()
    }
}
