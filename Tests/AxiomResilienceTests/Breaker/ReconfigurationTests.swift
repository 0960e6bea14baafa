// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("Configuration")
struct ReconfigurationTests {
    @Test("Reconfiguration keeps the window, the counts, the state and the current open time")
    func keepsHistory() throws {
        let test = try BreakerUnderTest { $0.minimumCalls = 10 }
        for _ in 0..<4 { test.calls(.success, .failure) }
        let before = test.summary
        var configuration = test.breaker.configuration
        configuration.window = .time(.seconds(60))
        configuration.failureRateThreshold = 0.4
        try test.breaker.reconfigure(configuration)
        #expect(test.summary.window == before.window)
        #expect(test.counts == before.counts)
        #expect(test.summary.transitions == before.transitions)
        test.calls(.failure, .failure)
        #expect(test.state == .open)
        configuration.openDuration = .seconds(60)
        test.advance(.seconds(1))
        try test.breaker.reconfigure(configuration)
        #expect(test.summary.openRemaining == .seconds(4))
    }

    @Test("A half-open breaker closes if the new number of permits is below the number of passed probes")
    func fewerPermits() throws {
        let test = try BreakerUnderTest { $0.halfOpenPermits = 10 }
        try test.breaker.open(for: .seconds(1))
        test.advance(.seconds(1))
        for _ in 0..<5 { test.call() }
        #expect(test.state == .halfOpen)
        var configuration = test.breaker.configuration
        configuration.halfOpenPermits = 3
        try test.breaker.reconfigure(configuration)
        #expect(test.state == .closed)
    }

    @Test("A removed slow-call rule no longer opens a half-open breaker")
    func slowRuleGone() throws {
        let test = try BreakerUnderTest {
            $0.slowCallDuration = .seconds(1)
            $0.slowCallRateThreshold = 1
            $0.halfOpenPermits = 2
            $0.openDuration = .seconds(60)
        }
        try test.breaker.open(for: .seconds(1))
        test.advance(.seconds(1))
        let slow = try #require(test.admit())
        test.advance(.seconds(2))
        test.settle(slow)
        #expect(test.state == .halfOpen && test.counts.slow == 1)
        var configuration = test.breaker.configuration
        configuration.slowCallDuration = nil
        configuration.slowCallRateThreshold = 0.5
        try test.breaker.reconfigure(configuration)
        #expect(test.state == .halfOpen)
        test.call()
        #expect(test.state == .closed)
    }

    @Test("An invalid configuration is rejected with the name of the setting, and the old one stays in use")
    func refused() throws {
        let cases: [(String, (inout CircuitBreakerConfiguration) -> Void)] = [
            ("window", { $0.window = .count(0) }),
            ("window", { $0.window = .time(.microseconds(1)) }),
            ("window", { $0.window = .time(.seconds(-1)) }),
            ("minimumCalls", { $0.minimumCalls = 0 }),
            ("minimumCalls", { $0.minimumCalls = 101 }),
            ("failureRateThreshold", { $0.failureRateThreshold = 0 }),
            ("failureRateThreshold", { $0.failureRateThreshold = .nan }),
            ("failureRateThreshold", { $0.failureRateThreshold = 50 }),
            ("slowCallDuration", { $0.slowCallDuration = .zero }),
            ("slowCallRateThreshold", { $0.slowCallRateThreshold = 1.1 }),
            ("consecutiveFailures", { $0.consecutiveFailures = 0 }),
            ("openDuration", { $0.openDuration = .zero }),
            ("openDurationCap", { $0.openDurationCap = .seconds(1) }),
            ("openDurationGrowth", { $0.openDurationGrowth = 0.5 }),
            ("openDurationGrowth", { $0.openDurationGrowth = .infinity }),
            ("openDurationJitter", { $0.openDurationJitter = -0.1 }),
            ("retryAfterLimit", { $0.retryAfterLimit = .seconds(-1) }),
            ("halfOpenPermits", { $0.halfOpenPermits = 0 }),
            ("halfOpenTimeLimit", { $0.halfOpenTimeLimit = .zero }),
            ("ramp.duration", { $0.ramp = .init(duration: .zero) }),
            ("ramp.initialShare", { $0.ramp = .init(duration: .seconds(1), initialShare: 1) }),
        ]
        let breaker = try CircuitBreaker(name: "shop")
        for (option, change) in cases {
            var configuration = CircuitBreakerConfiguration()
            change(&configuration)
            let error = #expect(throws: ResilienceError.self) { try breaker.reconfigure(configuration) }
            #expect(error?.code == .invalidOption)
            #expect(error?.message.hasPrefix("CircuitBreaker \"shop\": \(option)") == true)
            #expect(error?.file.hasSuffix("ReconfigurationTests.swift") == true && error?.line ?? 0 > 0)
            #expect(throws: ResilienceError.self) { try CircuitBreaker(name: "shop", configuration) }
        }
        #expect(breaker.configuration == CircuitBreakerConfiguration())
        let error = #expect(throws: ResilienceError.self) { try CircuitBreaker(name: "") }
        #expect(error?.code == .invalidName)
    }

    @Test("Configurations are equal if their values are equal and their classification was set by the same assignment")
    func equality() {
        let plain = CircuitBreakerConfiguration()
        #expect(plain == CircuitBreakerConfiguration())
        var other = plain
        other.halfOpenPermits = 2
        #expect(other != plain)
        var custom = plain
        custom.classify = { _ in .ignored }
        let copy = custom
        #expect(custom != plain && copy == custom)
        custom.classify = { _ in .ignored }
        #expect(copy != custom)
    }
}
