// SPDX-License-Identifier: Apache-2.0

import Axiom
import AxiomBase
import AxiomResilience
import AxiomTestSupport
import Foundation
import Testing

@testable import AxiomStorage

@Suite("Sends that do not end", .timeLimit(.minutes(10)))
struct SyncOverdueTests {
    /// Ends no call with a payload below 10 before the gate opens, whether it is cancelled or not.
    private func hang(_ world: SyncWorld, _ gate: Gate) {
        world.answer { change in
            if change.payload.first ?? 0 < 10 { await gate.wait() }
            return .accepted
        }
    }

    /// Advances the clock until this many errors were reported.
    private func waitForErrors(_ count: Int, _ world: SyncWorld) async {
        while world.errors.count < count {
            world.time.advance(by: .seconds(1))
            for _ in 0..<20 { await Task.yield() }
        }
    }

    @Test("Four sends that never return leave their places, with one error for each, and the others are sent")
    func places() async throws {
        let world = try SyncWorld()
        let gate = Gate()
        hang(world, gate)
        try await world.engine.start()
        for payload in 1...4 { try await world.append(UInt8(payload), key: "\(payload)") }
        world.connect(true)
        await world.waitForAttempts(4)
        try await world.append(10, key: "other")
        await waitForErrors(4, world)
        await world.waitForAttempts(5)
        await world.wait { $0.pending == 4 }
        #expect(world.errors == Array(repeating: "AXIOM_OFFLINE_007", count: 4))
        #expect(world.payloads.last == 10)
        try await world.append(5, key: "1")
        world.time.advance(by: .seconds(600))
        await world.waitUntilIdle()
        #expect(world.received.count == 5, "the changes stay taken, and hold back their keys")
        gate.open()
        await world.wait { $0.pending == 0 }
        #expect(world.received.count == 6 && world.errors.count == 4, "the late answers count")
        await world.engine.stop()
    }

    @Test("After a stop and a start the places are free, and a late answer removes its change")
    func restart() async throws {
        let (time, gate) = (ManualTime(), Gate())
        let errors = Lock<[ErrorCode]>([])
        let outbox = try Outbox("orders", in: CrashingStorage(), clock: .manual(time))
        var options = SyncOptions()
        options.maximumConcurrentSends = 1
        let attempts = Lock<[UInt8?]>([])
        let engine = try SyncEngine(outbox, options: options) { error in
            errors.withLock { $0.append(ErrorCode(of: error)) }
        } send: { change in
            attempts.withLock { $0.append(change.payload.first) }
            if change.key == "a" { await gate.wait() }
            return .accepted
        }
        try await engine.start()
        try await outbox.append("x", Data([1]), key: "a")
        while errors.withLock({ $0.isEmpty }) {
            time.advance(by: .seconds(1))
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(await engine.stop(), "nothing is waited for")
        try await engine.start()
        try await outbox.append("x", Data([2]), key: "b")
        for await status in outbox.publisher.updates where status.pending == 1 { break }
        #expect(attempts.withLock { $0 } == [1, 2])
        gate.open()
        for await status in outbox.publisher.updates where status.pending == 0 { break }
        #expect(attempts.withLock { $0 } == [1, 2] && errors.withLock { $0 } == ["AXIOM_OFFLINE_007"])
        await engine.stop()
    }

    @Test("A resolver that never returns leaves its place, and its late decision is carried out")
    func resolver() async throws {
        let world = try SyncWorld { $0.maximumConcurrentSends = 1 }
        let gate = Gate()
        world.answer { $0.key == "a" ? .conflict(remote: Data()) : .accepted }
        world.resolve { _, _ in
            await gate.wait()
            return .takeRemote
        }
        try await world.engine.start()
        try await world.append(1, key: "a")
        world.connect(true)
        await world.waitForAttempts(1)
        try await world.append(2, key: "b")
        await waitForErrors(1, world)
        await world.wait { $0.pending == 1 }
        #expect(world.errors == ["AXIOM_OFFLINE_007"] && world.payloads == [1, 2])
        gate.open()
        await world.wait { $0.pending == 0 }
        await world.engine.stop()
    }

    @Test("The breaker of the engine counts sends that do not end, so that their number stays small")
    func breaker() async throws {
        let world = try SyncWorld()
        let gate = Gate()
        hang(world, gate)
        try await world.engine.start()
        world.connect(true)
        for key in 0..<50 { try await world.append(1, key: "\(key)") }
        await waitForErrors(5, world)
        await world.waitUntilIdle()
        #expect(world.received.count <= 8)
        gate.open()
        await world.engine.stop()
    }
}
