// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("Calls through a breaker that has nothing to decide")
struct FastPathTests {
    private static let rules = CircuitBreakerConfiguration(window: .count(4), minimumCalls: 4)

    @Test("They take the fast path once the window is full of successes, until the first failure")
    func opensAndCloses() throws {
        let test = try BreakerUnderTest(Self.rules)
        for _ in 0..<4 {
            #expect(test.breaker.fastPath.totals == FastPathTotals())
            test.call()
        }
        for _ in 0..<10 { test.call() }
        #expect(test.breaker.fastPath.totals == FastPathTotals(admitted: 10, succeeded: 10))
        test.call(.failure)
        test.call()
        #expect(test.breaker.fastPath.totals == FastPathTotals(admitted: 11, succeeded: 10))
        #expect(test.summary.window.failures == 1)
        #expect(test.counts.success == 15 && test.counts.failure == 1 && test.counts.inFlight == 0)
        test.call(.failure)
        #expect(test.state == .open)
        #expect(!test.call())
    }

    @Test(
        "A call may be admitted on one path and end on the other: no count is lost, and a stale result decides nothing"
    )
    func bothWays() throws {
        let test = try BreakerUnderTest(Self.rules)
        let early = try #require(test.admit())
        for _ in 0..<4 { test.call() }
        let fast = try #require(test.admit())
        test.settle(early)
        #expect(test.counts.inFlight == 1)
        test.breaker.forceOpen()
        #expect(!test.call())
        test.settle(fast)
        #expect(test.counts.stale == 1 && test.counts.success == 6)
        #expect(test.counts.inFlight == 0 && test.counts.isConserved)
    }

    @Test("Reconfiguring, disabling and time windows close it")
    func closed() throws {
        let test = try BreakerUnderTest(Self.rules)
        for _ in 0..<5 { test.call() }
        let before = test.breaker.fastPath.totals
        var configuration = test.breaker.configuration
        configuration.window = .time(.seconds(10))
        try test.breaker.reconfigure(configuration)
        for _ in 0..<5 { test.call() }
        #expect(test.summary.window.calls == 9)
        configuration = Self.rules
        configuration.slowCallDuration = .seconds(1)
        try test.breaker.reconfigure(configuration)
        for _ in 0..<5 { test.call() }
        try test.breaker.reconfigure(Self.rules)
        test.breaker.disable()
        for _ in 0..<5 { test.call() }
        #expect(test.breaker.fastPath.totals == before)
        #expect(test.counts.success == 20 && test.counts.isConserved)
    }

    @Test("An instant that a call handed in there is not forgotten when another one comes with an earlier instant")
    func instantsGoBack() throws {
        let test = try BreakerUnderTest(Self.rules) { $0.openDuration = .nanoseconds(5) }
        let breaker = test.breaker
        func call(at nanoseconds: Int64, _ outcome: CallOutcome) -> Bool {
            guard case .admitted(let permit) = breaker.admit(at: Instant(nanoseconds: nanoseconds)) else {
                return false
            }
            breaker.record(permit, outcome, at: Instant(nanoseconds: nanoseconds))
            return true
        }
        for _ in 0..<5 { _ = call(at: 10, .success) }
        _ = call(at: 100, .success)
        for _ in 0..<2 { _ = call(at: 50, .failure) }
        #expect(!call(at: 104, .success))
        #expect(call(at: 105, .success))
    }

    @Test("A call that was admitted there and took no time is not slow after a reconfiguration")
    func notSlow() throws {
        let test = try BreakerUnderTest(Self.rules)
        for _ in 0..<4 { test.call() }
        test.advance(.seconds(9))
        test.call()
        let isEnabled = test.breaker.fastPath.isEnabled
        #expect(isEnabled)
        guard case .admitted(let permit) = test.breaker.admit(at: Instant(nanoseconds: 50)) else { return }
        var configuration = Self.rules
        configuration.slowCallDuration = .seconds(1)
        try test.breaker.reconfigure(configuration)
        test.breaker.record(permit, .success, at: Instant(nanoseconds: 50))
        #expect(test.counts.slow == 0 && test.counts.success == 6)
    }

    @Test("Eight tasks that seldom fail conserve calls at every instant, and no failure is lost")
    func stress() async throws {
        let breaker = try CircuitBreaker(
            name: "calm",
            CircuitBreakerConfiguration(window: .count(4), minimumCalls: 4, failureRateThreshold: 1)
        )
        let failures = await withTaskGroup(of: (failures: Int, isConserved: Bool).self) { group in
            for index in 0..<8 {
                group.addTask { await Self.callCalmly(breaker, seed: UInt64(index)) }
            }
            return await group.reduce(into: 0) { sum, part in
                #expect(part.isConserved)
                sum += part.failures
            }
        }
        let counts = breaker.counts()
        #expect(counts.isConserved && counts.inFlight == 0)
        #expect(counts.failure == failures && counts.offered == 8 * 4_000)
        #expect(breaker.fastPath.totals.succeeded > 0)
    }

    private static func callCalmly(
        _ breaker: CircuitBreaker,
        seed: UInt64
    ) async -> (failures: Int, isConserved: Bool) {
        var dice = Dice(seed: seed)
        var failures = 0
        var isConserved = true
        for _ in 0..<4_000 {
            let fails = Int.random(in: 0..<50, using: &dice) == 0
            if fails { failures += 1 }
            let yields = Int.random(in: 0..<10, using: &dice) == 0
            _ = try? await breaker.run {
                if yields { await Task.yield() }
                if fails { throw Failure() }
            }
            isConserved = isConserved && breaker.counts().isConserved
        }
        return (failures, isConserved)
    }
}
