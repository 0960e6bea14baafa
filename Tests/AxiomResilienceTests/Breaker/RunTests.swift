// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Synchronization
import Testing

@testable import AxiomResilience

@Suite("Running operations through a circuit breaker")
struct RunTests {
    private final class Ledger: Sendable {
        let offered = Atomic<Int>(0)
        let isBroken = Atomic<Bool>(false)
    }

    private typealias Failure = BreakerUnderTest.Failure

    @Test("Three timeouts reach the operation, the fourth call does not, and after the open time one probe closes it")
    func lifecycle() async throws {
        let test = try BreakerUnderTest { configuration in
            configuration.consecutiveFailures = 3
            configuration.openDuration = .seconds(1)
            configuration.openDurationJitter = 0.1
        }
        let reached = Atomic<Int>(0)
        for _ in 0..<3 {
            await #expect(throws: Failure.self) {
                try await test.breaker.run {
                    reached.add(1, ordering: .relaxed)
                    throw Failure()
                }
            }
        }
        let error = await #expect(throws: CircuitOpenError.self) {
            try await test.breaker.run { reached.add(1, ordering: .relaxed) }
        }
        let reachedCount = reached.load(ordering: .relaxed)
        #expect(reachedCount == 3)
        #expect(error?.breaker == "shop" && error?.state == .open && error?.reason == .consecutiveFailures)
        #expect(error?.cause as? Failure == Failure())
        let message = try #require(error?.message)
        #expect(
            try /The circuit breaker shop is open, try again in 1(\.\d{1,2})? s\./.wholeMatch(in: message) != nil,
            "\(message)"
        )
        test.advance(.milliseconds(1_100))
        #expect(try await test.breaker.run { 42 } == 42)
        #expect(test.state == .closed)
        #expect(test.summary.count(.open, .halfOpen) == 1 && test.summary.count(.halfOpen, .closed) == 1)
        #expect(test.counts.isConserved && test.counts.offered == 5)
    }

    @Test("Errors are judged as configured: cancellation is no failure, and Retry-After opens")
    func classification() async throws {
        let test = try BreakerUnderTest { configuration in
            let standard = configuration.classify
            configuration.classify = { error in
                switch (error as? Failure)?.text {
                case "bad request": .ignored
                case "retry after 9 s": .failure(openFor: .seconds(9))
                default: standard(error)
                }
            }
        }
        let cancelled = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await test.breaker.run { throw CancellationError() }
        }
        _ = await cancelled.result
        _ = try? await test.breaker.run { throw Failure(text: "bad request") }
        _ = try? await test.breaker.run { throw Failure(text: "down") }
        _ = try await test.breaker.run { 200 }
        let counts = test.counts
        #expect(counts.cancelled == 1 && counts.ignored == 1 && counts.failure == 1 && counts.success == 1)
        _ = try? await test.breaker.run { throw Failure(text: "retry after 9 s") }
        #expect(test.summary.openRemaining == .seconds(9))
        #expect(test.counts.isConserved)
    }

    @Test("A task that is cancelled while its probe runs gives the permit back")
    func cancelledProbe() async throws {
        let test = try BreakerUnderTest()
        try test.breaker.open(for: .seconds(1))
        test.advance(.seconds(1))
        let (started, start) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await test.breaker.run {
                start.yield()
                try await Task.sleep(for: .seconds(3_600))
            }
        }
        for await _ in started { break }
        #expect(test.summary.halfOpenPermitsInUse == 1)
        task.cancel()
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(test.summary.halfOpenPermitsInUse == 0 && test.state == .halfOpen)
    }

    @Test("As a strategy it does the same, and a permit of another breaker changes nothing")
    func strategyAndStrays() async throws {
        let test = try BreakerUnderTest()
        let strategy: any ResilienceStrategy = test.breaker
        #expect(try await strategy.run { 1 } == 1)
        let other = try CircuitBreaker(name: "other")
        guard case .admitted(let permit) = other.admit(at: test.time.now) else {
            Issue.record("It was rejected.")
            return
        }
        test.breaker.record(permit, .failure, at: test.time.now)
        #expect(test.counts.success == 1 && test.counts.failure == 0 && test.counts.inFlight == 0)
        #expect(other.counts().inFlight == 1)
    }

    @Test("Eight tasks that call, cancel, order, reconfigure and read at once lose no call", arguments: [0, 1, 2])
    func stress(seed: Int) async throws {
        let breaker = try CircuitBreaker(name: "stress", Self.hectic(seed))
        let ledger = Ledger()
        await withTaskGroup { group in
            for index in 0..<8 {
                group.addTask {
                    var dice = Dice(seed: UInt64(seed * 8 + index))
                    for _ in 0..<3_000 {
                        await Self.act(on: breaker, ledger, &dice)
                        let counts = breaker.counts()
                        if !counts.isConserved { ledger.isBroken.store(true, ordering: .relaxed) }
                    }
                }
            }
        }
        let summary = breaker.summary()
        let wasBroken = ledger.isBroken.load(ordering: .relaxed)
        #expect(!wasBroken)
        #expect(summary.counts.inFlight == 0 && summary.counts.isConserved)
        let offers = ledger.offered.load(ordering: .relaxed)
        #expect(summary.counts.offered == offers)
        #expect(summary.counts.rejected > 0 && summary.counts.success > 0 && summary.counts.failure > 0)
        #expect(summary.halfOpenPermitsInUse == 0 && summary.counts.slowInFlight == 0)
        let edges = summary.transitions.filter { $0.count > 0 || $0.shadowCount > 0 }
        #expect(edges.count > 3)
    }

    private static func hectic(_ seed: Int) -> CircuitBreakerConfiguration {
        CircuitBreakerConfiguration(
            window: seed == 1 ? .time(.milliseconds(2)) : .count(20),
            minimumCalls: 5,
            slowCallDuration: seed == 0 ? nil : .microseconds(50),
            openDuration: .microseconds(100),
            openDurationCap: .microseconds(100),
            halfOpenPermits: 3,
            ramp: seed == 2 ? .init(duration: .microseconds(100)) : nil
        )
    }

    private static func act(on breaker: CircuitBreaker, _ ledger: Ledger, _ dice: inout Dice) async {
        switch Int.random(in: 0..<200, using: &dice) {
        case 0: breaker.forceOpen()
        case 1: breaker.disable()
        case 2..<6: breaker.reset()
        case 6: try? breaker.reconfigure(hectic(Int.random(in: 0..<3, using: &dice)))
        default:
            ledger.offered.add(1, ordering: .relaxed)
            let fate = Int.random(in: 0..<10, using: &dice)
            _ = try? await breaker.run {
                if fate < 2 { await Task.yield() }
                if fate == 3 { throw CancellationError() }
                if fate > 6 { throw Failure() }
            }
        }
    }
}
