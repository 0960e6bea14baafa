// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("The end of a sync engine", .timeLimit(.minutes(20)))
struct SyncStopTests {
    /// An engine that sends these changes of one key, and has begun the first attempt.
    private func sending(_ payloads: UInt8..., answer: @escaping SyncWorld.Behavior) async throws -> SyncWorld {
        let world = try SyncWorld()
        world.answer(answer)
        try await world.engine.start()
        world.connect(true)
        for payload in payloads { try await world.append(payload) }
        await world.waitForAttempts(1)
        return world
    }

    @Test("A stop waits for attempts under way and stores their results; nothing new begins (SYN-01)")
    func graceful() async throws {
        let gate = OneShot<Bool>()
        let world = try await sending(1, 2) { _ in
            _ = await gate.value
            return .accepted
        }
        async let stopped = world.engine.stop(within: .seconds(3))
        while await world.engine.isOnline { await Task.yield() }
        gate.settle(true)
        #expect(await stopped)
        #expect(world.payloads == [1] && world.outbox.status.pending == 1)
    }

    @Test("A stop cancels attempts at its limit; their changes stay, and no attempt counts (SYN-01)")
    func limit() async throws {
        let ended = OneShot<Bool>()
        let world = try await sending(1) { _ in
            defer { ended.settle(true) }
            try await Task.sleep(for: .seconds(3_600))
            return .accepted
        }
        let engine = world.engine
        let stop = Task { await engine.stop(within: .seconds(3)) }
        // From then on, the limit of the stop runs.
        while await world.engine.isOnline { await Task.yield() }
        world.time.advance(by: .seconds(3))
        #expect(await !stop.value)
        _ = await ended.value
        await world.waitUntilIdle()
        let change = try await world.outbox.pendingChanges.first
        #expect(change?.attempts == 0 && world.storage.contents.count == 1)
    }

    @Test("A second stop waits for the same attempts (SYN-01)")
    func twice() async throws {
        let gate = OneShot<Bool>()
        let world = try await sending(1) { _ in
            _ = await gate.value
            return .accepted
        }
        let engine = world.engine
        let first = Task { await engine.stop() }
        while await engine.isOnline { await Task.yield() }
        #expect(await !engine.stop(within: .zero))
        gate.settle(true)
        #expect(await first.value)
        #expect(await engine.stop())
        #expect(world.outbox.status.pending == 0)
    }

    @Test("Of two stops with a start between them, the first leaves the outbox to the second")
    func overlapping() async throws {
        let gate = OneShot<Bool>()
        let world = try await sending(1) { _ in
            _ = await gate.value
            return .accepted
        }
        let engine = world.engine
        let first = Task { await engine.stop(within: .seconds(3)) }
        while await engine.runner.idleWaiters.count < 1 { await Task.yield() }
        try await engine.start()
        let second = Task { await engine.stop(within: .seconds(60)) }
        while await engine.runner.idleWaiters.count < 2 { await Task.yield() }
        world.time.advance(by: .seconds(3))
        #expect(await !first.value)
        let other = try SyncEngine(world.outbox, send: { _ in .accepted })
        await #expect(throws: OfflineError.self, "the second stop still waits") { try await other.start() }
        gate.settle(true)
        #expect(await second.value)
        try await other.start()
        await other.stop()
    }

    @Test("A cancelled stop returns at once and cancels the attempts (SYN-01)")
    func cancelled() async throws {
        let world = try await sending(1) { _ in
            try await Task.sleep(for: .seconds(3_600))
            return .accepted
        }
        let engine = world.engine
        let stop = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await engine.stop()
        }
        #expect(await !stop.value)
        await world.waitUntilIdle()
        #expect(world.outbox.status.pending == 1)
    }

    @Test("A stopped engine starts again, and a second start or stop does nothing (SYN-01)")
    func again() async throws {
        let world = try SyncWorld()
        try await world.engine.start()
        try await world.engine.start()
        #expect(await world.engine.stop())
        #expect(await world.engine.stop())
        let other = try SyncEngine(world.outbox, send: { _ in .accepted })
        try await world.append(1)
        try await other.start()
        await world.wait { $0.pending == 0 }
        await other.stop()
        try await world.append(2)
        try await other.start()
        await world.wait { $0.pending == 0 }
        await other.stop()
    }

    @Test("An engine that is released ends, with its tasks (SYN-01)")
    func released() async throws {
        let outbox = try Outbox("orders", in: CrashingStorage())
        var engine: SyncEngine? = try SyncEngine(outbox, send: { _ in .accepted })
        weak let runner = engine?.runner
        try await engine?.start()
        try await outbox.append("x", Data())
        for await status in outbox.publisher.updates where status.pending == 0 { break }
        engine = nil
        while runner != nil { await Task.yield() }
    }

    @Test("After crashes at random steps each change is applied once at a server that ignores repeated keys (SYN-02)")
    func crashes() async throws {
        let seed = TestSeed.drawn()
        var random = SeededGenerator(seed: seed)
        for _ in 0..<OutboxTest.count(400) {
            var storage = CrashingStorage()
            let server = CountingServer()
            var acknowledged: [UUID] = []
            for life in 0..<4 {
                let outbox = try Outbox("orders", in: storage)
                let losesAnswers = life < 3
                let engine = try SyncEngine(outbox, options: Self.eager) { change in
                    try server.apply(change, losesAnswer: losesAnswers)
                }
                try await engine.start()
                if life == 3 { break }
                for index in 0..<8 {
                    if let change = try? await outbox.append("x", Data([UInt8(life), UInt8(index)])) {
                        acknowledged.append(change.id)
                    }
                    for _ in 0..<random.index(below: 20) { await Task.yield() }
                    if random.index(below: 8) == 0 { break }
                }
                let next = storage.crash()
                await engine.stop(within: .zero)
                storage = next
            }
            let last = try Outbox("orders", in: storage)
            let engine = try SyncEngine(last, options: Self.eager) { try server.apply($0, losesAnswer: false) }
            try await engine.start()
            for await status in last.publisher.updates where status == OutboxStatus() { break }
            await engine.stop()
            let applied = server.applied
            #expect(Set(applied).count == applied.count)
            #expect(
                applied.filter(Set(acknowledged).contains) == acknowledged,
                "nothing is lost, in the order of the key"
            )
        }
    }

    private static var eager: SyncOptions {
        var options = SyncOptions()
        options.backoff = .none
        options.maximumAttempts = 1_000
        // Nothing opens the breaker.
        options.isOutage = { _ in false }
        return options
    }

    /// Applies each idempotency key once, and loses every third answer.
    private final class CountingServer: Sendable {
        private let state = Lock<(applied: [UUID], calls: Int)>(([], 0))

        var applied: [UUID] { state.withLock { $0.applied } }

        func apply(_ change: PendingChange, losesAnswer: Bool) throws -> SyncAnswer {
            let calls = state.withLock { state in
                if !state.applied.contains(change.id) { state.applied.append(change.id) }
                state.calls += 1
                return state.calls
            }
            if losesAnswer, calls % 3 == 0 { throw SyncWorld.Broken() }
            return .accepted
        }
    }
}
