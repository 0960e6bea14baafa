// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@Suite("Manual time", .timeLimit(.minutes(10)))
struct ManualTimeTests {
    @Test("Time moves only when it is advanced, and by exactly that much")
    func standsStill() {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let before = clock.now
        #expect(clock.now == before)
        time.advance(by: .milliseconds(1500))
        #expect(clock.now.nanoseconds(since: before) == 1_500_000_000)
        #expect(clock.secondsSinceEpoch == 1_700_000_001.5)
    }

    @Test("A negative advance has no effect")
    func neverGoesBack() {
        let time = ManualTime()
        time.advance(by: .seconds(5))
        time.advance(by: .seconds(-3))
        #expect(time.now.nanoseconds == 5_000_000_000)
    }

    @Test("A step of the wall clock moves neither time nor sleepers")
    func wallClock() {
        let time = ManualTime()
        time.advance(by: .seconds(5))
        time.stepWallClock(by: -3_600)
        #expect(time.now.nanoseconds == 5_000_000_000)
        #expect(time.secondsSinceEpoch == 1_700_000_000 + 5 - 3_600)
    }

    @Test("A sleeper wakes at its deadline and not before")
    func wakesAtDeadline() async throws {
        let time = ManualTime()
        let sleeper = Task { try await TimeSource.manual(time).sleep(for: .seconds(10)) }
        await time.waitForSleepers(1)
        time.advance(by: .seconds(9))
        #expect(time.sleeperCount == 1)
        time.advance(by: .seconds(1))
        try await sleeper.value
        #expect(time.sleeperCount == 0)
    }

    @Test("A deadline in the past does not wait")
    func pastDeadline() async throws {
        let time = ManualTime()
        time.advance(by: .seconds(1))
        try await TimeSource.manual(time).sleep(until: Instant(nanoseconds: 0))
        // It returned although nothing moved the time.
        #expect(time.now.nanoseconds == 1_000_000_000)
        #expect(time.sleeperCount == 0)
    }

    @Test("A cancelled sleeper throws and is removed")
    func cancellation() async {
        let time = ManualTime()
        let sleeper = Task { try await TimeSource.manual(time).sleep(for: .seconds(10)) }
        await time.waitForSleepers(1)
        sleeper.cancel()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
        #expect(time.sleeperCount == 0)
    }

    @Test("A task that is cancelled before it sleeps does not sleep")
    func cancelledBeforeSleeping() async {
        let time = ManualTime()
        let gate = AsyncStream<Void>.makeStream()
        let sleeper = Task {
            for await _ in gate.stream { break }
            try await TimeSource.manual(time).sleep(for: .seconds(10))
        }
        sleeper.cancel()
        gate.continuation.yield()
        await #expect(throws: CancellationError.self) { try await sleeper.value }
    }

    @Test("A time source is a clock: it sleeps, measures and compares its instants", .timeLimit(.minutes(10)))
    func clock() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        async let elapsed = measured(clock)
        await time.waitForSleepers(1)
        time.advance(by: .seconds(30))
        #expect(try await elapsed == .seconds(30))
        #expect(clock.now == Instant(nanoseconds: 30_000_000_000))
        #expect(clock.now.duration(to: clock.now.advanced(by: .seconds(1))) == .seconds(1))
    }

    private func measured<Source: Clock>(_ clock: Source) async throws -> Duration
    where Source.Duration == Duration {
        try await clock.measure { try await clock.sleep(for: .seconds(30)) }
    }
}
