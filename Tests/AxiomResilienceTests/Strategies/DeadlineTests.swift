// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomResilience

@Suite("Deadlines and circuit breakers", .timeLimit(.minutes(10)))
struct DeadlineTests {
    private let time = ManualTime()
    private var clock: TimeSource { .manual(time) }

    private func breaker(_ change: (inout CircuitBreakerConfiguration) -> Void = { _ in }) throws -> CircuitBreaker {
        var configuration = CircuitBreakerConfiguration(minimumCalls: 4, openDurationJitter: 0)
        change(&configuration)
        return try CircuitBreaker(name: "shop", configuration, clock: clock)
    }

    /// Runs `body`, and lets the deadline pass once its timer and the operation's sleep have begun.
    private func late(_ body: @escaping @Sendable () async throws -> Void) async -> Result<Void, any Error> {
        let call = Task { try await body() }
        await time.waitForSleepers(2)
        time.advance(by: .seconds(1))
        return await call.result
    }

    @Test("A timeout around a breaker is a failure that opens it")
    func timeoutAroundBreaker() async throws {
        let breaker = try breaker()
        let policy = try Policy("p") {
            try Timeout("t", .seconds(1), clock: clock)
            breaker
        }
        for _ in 0..<4 {
            let result = await late { [clock] in try await policy.run { try await clock.sleep(for: .seconds(5)) } }
            #expect(throws: TimeoutError(policy: "t", limit: .seconds(1))) { try result.get() }
        }
        #expect(breaker.counts().failure == 4 && breaker.counts().cancelled == 0)
        #expect(breaker.state == .open)
        await #expect(throws: CircuitOpenError.self) { try await policy.run {} }
        #expect(breaker.lastError as? TimeoutError == TimeoutError(policy: "t", limit: .seconds(1)))
    }

    @Test("The limit of an attempt around a breaker is a failure of every breaker between them")
    func attemptsAroundBreakers() async throws {
        let breakers = [try breaker(), try breaker()]
        let policy = try Policy("p") {
            try Retry("r", clock: clock) {
                $0.maximumAttempts = 2
                $0.backoff = .none
            }
            try Timeout("t", .seconds(1), clock: clock)
            breakers[0]
            breakers[1]
        }
        let call = Task { [clock] in try await policy.run { try await clock.sleep(for: .seconds(5)) } }
        for _ in 0..<2 {
            await time.waitForSleepers(2)
            time.advance(by: .seconds(1))
        }
        let expected = TimeoutError(policy: "t", limit: .seconds(1))
        await #expect(throws: expected) { try await call.value }
        for breaker in breakers {
            #expect(breaker.counts().failure == 2 && breaker.lastError as? TimeoutError == expected)
        }
    }

    @Test("A probe that a deadline ends opens the breaker again")
    func probe() async throws {
        let breaker = try breaker { $0.openDuration = .seconds(3) }
        try breaker.open(for: .seconds(3))
        time.advance(by: .seconds(3))
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        _ = await late { [clock] in
            try await timeout.run { try await breaker.run { try await clock.sleep(for: .seconds(5)) } }
        }
        #expect(breaker.state == .open && breaker.summary().halfOpenPermitsInUse == 0)
    }

    @Test("A cancellation by the caller stays one, also when the deadline passes before the operation ends")
    func callerCancels() async throws {
        let (breaker, gate) = (try breaker(), Gate())
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        let call = Task {
            try await timeout.run {
                try await breaker.run {
                    await gate.wait()
                    try Task.checkCancellation()
                }
            }
        }
        await gate.waitForArrivals(1)
        await time.waitForSleepers(1)
        call.cancel()
        time.advance(by: .seconds(2))
        gate.open()
        await #expect(throws: CancellationError.self) { try await call.value }
        #expect(breaker.counts().cancelled == 1 && breaker.counts().failure == 0)
    }

    @Test("An operation that ignores the deadline and succeeds late is a failure, and one nanosecond before a success")
    func lateSuccess() async throws {
        for (nanoseconds, failures) in [(999_999_999, 0), (1_000_000_000, 1)] {
            let breaker = try breaker()
            let timeout = try Timeout("t", .seconds(1), clock: clock)
            _ = try? await timeout.run { [time] in
                // Nothing suspends: the timer has no turn, and the clock alone says that it is late.
                try await breaker.run { time.advance(by: .nanoseconds(nanoseconds)) }
            }
            #expect(breaker.counts().failure == failures && breaker.counts().success == 1 - failures)
        }
    }

    @Test("Success and an error that the rules ignore are judged as the timeout that the caller gets")
    func judgedAsTimeout() async throws {
        let breaker = try breaker { $0.classify = { $0 is TimeoutError ? .failure(openFor: .seconds(9)) : .ignored } }
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        _ = await late { [clock] in
            try await timeout.run { try await breaker.run { try await clock.sleep(for: .seconds(5)) } }
        }
        #expect(breaker.counts().failure == 1 && breaker.summary().openRemaining == .seconds(9))
    }

    @Test("A call that begins after the deadline is not blamed for it")
    func beginsAfterwards() async throws {
        let (slow, next) = (try breaker(), try breaker())
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        _ = await late { [clock] in
            try await timeout.run {
                try? await slow.run { try await clock.sleep(for: .seconds(5)) }
                try? await next.run { try Task.checkCancellation() }
            }
        }
        #expect(slow.counts().failure == 1)
        #expect(next.counts().cancelled == 1 && next.counts().failure == 0)
    }

    @Test("A task of its own that outlives the deadline is not blamed for it")
    func unstructured() async throws {
        let (breaker, gate) = (try breaker(), Gate())
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        let started = Lock<Task<Void, any Error>?>(nil)
        _ = await late { [clock] in
            try await timeout.run {
                let task = Task { try await breaker.run { await gate.wait() } }
                started.withLock { $0 = task }
                await gate.waitForArrivals(1)
                try await clock.sleep(for: .seconds(5))
            }
        }
        gate.open()
        try await started.withLock { $0 }?.value
        #expect(breaker.counts().success == 1 && breaker.counts().failure == 0)
    }

    @Test("A wrapper that records calls itself sees the deadline too")
    func wrapper() async throws {
        let breaker = try breaker()
        let timeout = try Timeout("t", .seconds(1), clock: clock)
        _ = await late { [clock] in
            try await timeout.run {
                guard case .admitted(let permit) = breaker.admit(at: clock.now) else { return }
                do {
                    try await clock.sleep(for: .seconds(5))
                    breaker.record(permit, .success, at: clock.now)
                } catch {
                    breaker.record(permit, breaker.outcome(of: error), at: clock.now, error: error)
                }
            }
        }
        #expect(breaker.counts().failure == 1 && breaker.lastError is TimeoutError)
    }
}
