// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import Foundation
import Testing

@testable import AxiomStorage

@Suite("A sync engine", .timeLimit(.minutes(10)))
struct SyncEngineTests {
    @Test("Changes queue while there is no connection, and are sent in their order when it comes back (SYN-03, CAP-23)")
    func offline() async throws {
        let world = try SyncWorld()
        try await world.engine.start()
        for payload in 1...20 { try await world.append(UInt8(payload)) }
        await world.waitUntilIdle()
        #expect(world.received.isEmpty && world.outbox.status.pending == 20)
        world.connect(true)
        await world.wait { $0.pending == 0 }
        #expect(world.payloads == Array(1...20))
        #expect(world.storage.contents.isEmpty)
        world.connect(false)
        try await world.append(21)
        world.connect(true)
        await world.wait { $0.pending == 0 }
        #expect(world.payloads.last == 21)
        await world.engine.stop()
    }

    @Test("An append is sent at once while there is a connection, without a step of the clock (SYN-01)")
    func atOnce() async throws {
        let world = try SyncWorld()
        try await world.engine.start()
        world.connect(true)
        try await world.append(1)
        await world.wait { $0.pending == 0 }
        #expect(world.payloads == [1] && world.time.now == Instant(nanoseconds: 0))
        await world.engine.stop()
    }

    @Test("A failed attempt is repeated after its wait, with the same idempotency key (SYN-01, SYN-04)")
    func retry() async throws {
        let world = try SyncWorld()
        world.answer { change in
            if change.attempts < 2 { throw SyncWorld.Broken() }
            return .accepted
        }
        try await world.engine.start()
        world.connect(true)
        try await world.append(1)
        for attempts in 1...2 {
            await world.waitForAttempts(attempts)
            await world.waitUntilIdle()
            world.time.advance(by: .milliseconds(9_999))
            await world.waitUntilIdle()
            #expect(world.received.count == attempts, "the wait is not over")
            world.time.advance(by: .milliseconds(1))
        }
        await world.wait { $0.pending == 0 }
        #expect(Set(world.received.map(\.id)).count == 1 && world.received.map(\.attempts) == [0, 1, 2])
        await world.engine.stop()
    }

    @Test("A slow change holds back its key only, and at most the set number is sent at once (SYN-03)")
    func independentKeys() async throws {
        let world = try SyncWorld { $0.maximumConcurrentSends = 2 }
        let gate = OneShot<Bool>()
        world.answer { change in
            if change.payload.first == 1 { _ = await gate.value }
            return .accepted
        }
        try await world.engine.start()
        try await world.append(1, key: "a")
        try await world.append(2, key: "a")
        for payload in 3...6 { try await world.append(UInt8(payload), key: "\(payload)") }
        world.connect(true)
        await world.wait { $0.pending == 2 }
        #expect(Set(world.payloads) == [1, 3, 4, 5, 6])
        gate.settle(true)
        await world.wait { $0.pending == 0 }
        #expect(world.payloads.last == 2)
        await world.engine.stop()
    }

    @Test("A change that fails too often is set aside and reported; an outage does not count (SYN-01)")
    func poison() async throws {
        let world = try SyncWorld {
            $0.maximumAttempts = 3
            $0.minimumFailureTime = .zero
        }
        try await world.engine.start()
        world.answer { change in
            if change.key == "a" { throw SyncWorld.Broken() }
            throw TimeoutError(policy: "server", limit: .seconds(1))
        }
        world.connect(true)
        try await world.append(1, key: "a")
        try await world.append(2, key: "b")
        while world.outbox.status.setAside == 0 || world.received.filter({ $0.key == "b" }).count < 4 {
            await world.waitUntilIdle()
            world.time.advance(by: .seconds(400))
            // An idle engine does not suspend this task.
            await Task.yield()
        }
        await world.waitUntilIdle()
        #expect(world.received.filter { $0.key == "a" }.count == 3)
        #expect(world.received.filter { $0.key == "b" }.count > 3)
        #expect(world.errors == ["AXIOM_OFFLINE_006"])
        #expect(try await world.outbox.setAsideChanges.first?.reason.hasPrefix("attempt 3 failed") == true)
        #expect(world.outbox.status.pending == 1)
        await world.engine.stop()
    }

    @Test("While the circuit breaker is open nothing is sent and no attempt counts; a probe closes it (SYN-01)")
    func breaker() async throws {
        let world = try SyncWorld { $0.maximumConcurrentSends = 1 }
        world.answer { _ in throw SyncWorld.Broken() }
        try await world.engine.start()
        world.connect(true)
        for payload in 1...8 { try await world.append(UInt8(payload), key: "\(payload)") }
        await world.waitForAttempts(5)
        await world.waitUntilIdle()
        #expect(world.received.count == 5, "five failures open the breaker")
        #expect(try await world.outbox.pendingChanges.map(\.attempts) == [1, 1, 1, 1, 1, 0, 0, 0])
        world.answer { _ in .accepted }
        world.time.advance(by: .seconds(6))
        await world.wait { $0.pending == 5 }
        await world.waitUntilIdle()
        world.time.advance(by: .seconds(10))
        await world.wait { $0.pending == 0 }
        await world.engine.stop()
    }

    @Test("A connection that comes back ends all waits, and resets the engine's breaker (SYN-01)")
    func reconnect() async throws {
        let world = try SyncWorld()
        world.answer { _ in throw SyncWorld.Broken() }
        try await world.engine.start()
        world.connect(true)
        for payload in 1...6 { try await world.append(UInt8(payload), key: "\(payload)") }
        await world.waitForAttempts(5)
        await world.waitUntilIdle()
        world.answer { _ in .accepted }
        world.connect(false)
        world.connect(true)
        await world.wait { $0.pending == 0 }
        #expect(world.time.now == Instant(nanoseconds: 0))
        await world.engine.stop()
    }

    @Test("An error that advises against a retry, or a rejection, sets the change aside at once (SYN-01)")
    func rejected() async throws {
        struct Invalid: Error, RetryAdvising {
            var retryAdvice: RetryDecision { .stop }
        }
        let world = try SyncWorld()
        world.answer { change in
            if change.key == "a" { throw Invalid() }
            return .rejected(reason: "it is sold out")
        }
        try await world.engine.start()
        world.connect(true)
        for payload in 1...6 { try await world.append(UInt8(payload), key: "a") }
        try await world.append(7, key: "b")
        await world.wait { $0.setAside == 2 }
        #expect(Set(world.payloads) == [1, 7], "the key is blocked, and the breaker stays closed")
        let reasons = try await world.outbox.setAsideChanges.map(\.reason)
        #expect(reasons.last == "the server rejected it: it is sold out")
        world.answer { _ in .accepted }
        for change in try await world.outbox.setAsideChanges { try await world.outbox.retry(change.id) }
        await world.wait { $0 == OutboxStatus() }
        #expect(world.received.filter { $0.key == "a" }.compactMap(\.payload.first) == [1, 1, 2, 3, 4, 5, 6])
        await world.engine.stop()
    }

    @Test("A change that the server accepted but the storage kept is sent again with the same key (SYN-04)")
    func unmarked() async throws {
        let world = try SyncWorld()
        try await world.engine.start()
        try await world.append(1)
        world.storage.refuse { $0.contains { if case .remove = $0 { true } else { false } } }
        world.connect(true)
        await world.waitForAttempts(1)
        await world.waitUntilIdle()
        #expect(world.outbox.status.pending == 1 && world.errors.count == 1)
        world.storage.refuse { _ in false }
        world.time.advance(by: .seconds(10))
        await world.wait { $0.pending == 0 }
        #expect(Set(world.received.map(\.id)).count == 1 && world.received.count == 2)
        await world.engine.stop()
    }

    @Test("A regular round begins every interval, and looks at the connection again while there is none (SYN-01)")
    func rounds() async throws {
        var machine = SyncMachine(SyncOptions(), every: .seconds(30))
        let start = Instant(nanoseconds: 0)
        machine.start(at: start)
        #expect(machine.wake(nextDue: start) == start.advanced(by: .seconds(30)), "offline: only the next round")
        let rounds = [29, 31].map { machine.beginRound(at: start.advanced(by: .seconds($0))) }
        #expect(rounds == [false, true])
        #expect(machine.nextRound == start.advanced(by: .seconds(61)))
        let returns = [true, true].map { machine.connected($0) }
        #expect(returns == [true, false], "a connection comes back once")
        #expect(machine.wake(nextDue: start.advanced(by: .seconds(40))) == start.advanced(by: .seconds(40)))
        #expect(machine.wake(nextDue: nil) == start.advanced(by: .seconds(61)))
        machine.stop()
        let ended = [machine.maySend(at: start), machine.connected(true), machine.beginRound(at: machine.nextRound)]
        #expect(ended == [false, false, false])
    }

    @Test("A breaker that does not say for how long it is open pauses until another attempt ends (SYN-01)")
    func openPause() async throws {
        var machine = SyncMachine(SyncOptions(), every: .seconds(30))
        let (now, breaker) = (Instant(nanoseconds: 0), try CircuitBreaker(name: "forced"))
        breaker.forceOpen()
        machine.start(at: now)
        _ = machine.connected(true)
        let change = PendingChange(id: UUID(), kind: "x", key: "", payload: Data(), madeAt: 0)
        var random = SystemRandomNumberGenerator()
        let error = await #expect(throws: CircuitOpenError.self) { try await breaker.run {} }
        let open = try #require(error)
        let verdict = machine.verdict(change, .failed(open), failingSince: nil, at: now, using: &random)
        let paused = machine.maySend(at: now)
        #expect(verdict == .release(nil) && !paused && machine.pausedUntil == machine.nextRound)
        _ = machine.verdict(change, .answered(.accepted), failingSince: nil, at: now, using: &random)
        let resumed = machine.maySend(at: now)
        #expect(resumed)
    }

    @Test("Options out of range are refused (SYN-01)")
    func options() throws {
        let outbox = try Outbox("orders", in: CrashingStorage())
        func code(_ interval: Duration = .seconds(30), _ configure: (inout SyncOptions) -> Void) -> ErrorCode? {
            var options = SyncOptions()
            configure(&options)
            do {
                _ = try SyncEngine(outbox, every: interval, options: options, send: { _ in .accepted })
                return nil
            } catch {
                return (error as? OfflineError)?.code ?? "ResilienceError"
            }
        }
        #expect(code { _ in } == nil)
        #expect(code(.zero) { _ in } == "AXIOM_OFFLINE_001")
        #expect(code { $0.maximumConcurrentSends = 0 } == "AXIOM_OFFLINE_001")
        #expect(code { $0.maximumAttempts = 0 } == "AXIOM_OFFLINE_001")
        #expect(code { $0.timeLimit = .zero } == "AXIOM_OFFLINE_001")
        #expect(code { $0.backoff = .constant(.seconds(-1)) } == "ResilienceError")
    }
}
