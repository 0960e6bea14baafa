// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import Foundation
import Testing

@testable import AxiomStorage

@Suite("Cancellations of a sync engine", .timeLimit(.minutes(10)))
struct SyncCancellationTests {
    @Test("A change whose attempt throws a CancellationError of its own waits before it is sent again (SYN-01)")
    func ownCancellation() async throws {
        let world = try SyncWorld()
        world.answer { _ in
            // Ends a loop without waits, so that the test fails and does not hang.
            if world.received.count > 50 { return .accepted }
            throw CancellationError()
        }
        try await world.engine.start()
        world.connect(true)
        try await world.append(1)
        await world.waitForAttempts(1)
        await world.waitUntilIdle()
        #expect(world.received.count == 1)
        world.time.advance(by: .seconds(10))
        await world.waitForAttempts(2)
        await world.waitUntilIdle()
        #expect(world.received.count == 2)
        #expect(
            try await world.outbox.pendingChanges.first?.attempts == 2,
            "nobody cancelled the attempts: they failed"
        )
        await world.engine.stop()
    }

    @Test("A change whose attempt failed after the connection came back is sent again at once (SYN-01)")
    func returned() async throws {
        let world = try SyncWorld()
        let gate = OneShot<Bool>()
        world.answer { _ in
            guard world.received.count == 1 else { return .accepted }
            _ = await gate.value
            throw TimeoutError(policy: "request", limit: .seconds(1))
        }
        try await world.engine.start()
        world.connect(true)
        try await world.append(1)
        await world.waitForAttempts(1)
        world.connect(false)
        while await world.engine.isOnline { await Task.yield() }
        world.connect(true)
        while !(await world.engine.isOnline) { await Task.yield() }
        gate.settle(true)
        await world.waitUntilIdle()
        #expect(world.received.count == 2 && world.outbox.status.pending == 0)
        await world.engine.stop()
    }

    @Test("After a stop that returned, no attempt begins, even if it came before the run began (SYN-01)")
    func immediate() async throws {
        for _ in 0..<OutboxTest.count(20_000) {
            let storage = CrashingStorage()
            let outbox = try Outbox("orders", in: storage)
            try await outbox.append("place", Data([1]))
            let stopped = Lock(false)
            let late = Lock(false)
            var engine: SyncEngine? = try SyncEngine(outbox) { _ in
                if stopped.withLock({ $0 }) { late.withLock { $0 = true } }
                return .accepted
            }
            weak let runner = engine?.runner
            try await engine?.start()
            let hasEnded = await engine?.stop()
            stopped.withLock { $0 = true }
            #expect(hasEnded == true)
            // Every task that can begin an attempt keeps the runner.
            engine = nil
            while runner != nil { await Task.yield() }
            if late.withLock({ $0 }) {
                Issue.record("an attempt began after the stop")
                return
            }
        }
    }
}
