// SPDX-License-Identifier: Apache-2.0

import Axiom
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

/// Reports events of the system, and then fails.
private struct FailingSource: ChangeSource {
    struct Unplugged: Error {}

    let list: [CapabilityEvent]

    func events() -> AsyncThrowingStream<CapabilityEvent, any Error> {
        AsyncThrowingStream { continuation in
            for event in list { continuation.yield(event) }
            continuation.finish(throwing: Unplugged())
        }
    }
}

@Suite("The connection of a synchronisation", .timeLimit(.minutes(10)))
struct SyncConnectionTests {
    @Test("A source reports it for the network only, and what it reported last stays when it fails (SYN-03)")
    func source() async {
        let reports = Lock<[Bool]>([])
        let connection = SyncConnection.source(
            FailingSource(list: [
                .service(.network, isUp: false, reason: "eth0 has no carrier"),
                .service(.storage, isUp: true, reason: "on"),
                .pressure(.memory, .critical),
                .service(.network, isUp: true, reason: "eth0 has a carrier"),
            ])
        )
        await connection.follow { isConnected in reports.withLock { $0.append(isConnected) } }
        #expect(reports.withLock { $0 } == [false, true])
    }
}
