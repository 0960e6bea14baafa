// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("Slow calls")
struct SlowCallTests {
    private static let rules = CircuitBreakerConfiguration(
        minimumCalls: 3,
        failureRateThreshold: nil,
        slowCallDuration: .seconds(1),
        openDuration: .seconds(5)
    )

    @Test("Calls that hang open the breaker before any of them ends, and the next call is not sent after them")
    func hungCalls() throws {
        let test = try BreakerUnderTest(Self.rules)
        let hung = (0..<3).compactMap { _ in test.admit() }
        test.advance(.nanoseconds(999_999_999))
        #expect(test.counts.slowInFlight == 0)
        test.advance(.nanoseconds(1))
        #expect(test.counts.slowInFlight == 3)
        #expect(test.summary.slowRatio == 1)
        #expect(test.state == .closed)
        #expect(!test.call())
        #expect(test.state == .open)
        #expect(test.summary.count(.closed, .open) == 1)
        for call in hung { test.settle(call, .failure) }
        #expect(test.counts.slow == 3 && test.counts.slowInFlight == 0 && test.counts.stale == 3)
        #expect(test.counts.isConserved)
    }

    @Test("A slow call counts once: in flight until it ends, and then in the window")
    func countedOnce() throws {
        let test = try BreakerUnderTest(Self.rules) { $0.minimumCalls = 10 }
        let call = try #require(test.admit())
        let other = try #require(test.admit())
        let third = try #require(test.admit())
        test.advance(.seconds(2))
        #expect(test.summary.window.slow == 0 && test.summary.window.slowInFlight == 3)
        test.settle(call, .success)
        #expect(test.summary.window.slow == 1 && test.summary.window.slowInFlight == 2)
        test.settle(other, .cancelled)
        #expect(test.summary.window.slow == 1 && test.summary.window.slowInFlight == 1)
        test.settle(third, .ignored)
        #expect(test.summary.window.slow == 1 && test.summary.window.slowInFlight == 0)
        #expect(test.counts.slow == 1)
    }

    @Test("The memory for calls in flight is bounded, however many calls pass a hanging one")
    func bounded() throws {
        let test = try BreakerUnderTest(Self.rules) { $0.slowCallDuration = .seconds(1_000) }
        _ = try #require(test.admit())
        var pending: [Ticket] = []
        for _ in 0..<10_000 {
            test.advance(.milliseconds(1))
            if let call = test.admit() { pending.append(call) }
            if pending.count > 20 { test.settle(pending.removeFirst()) }
        }
        let entries = test.breaker.core.withLock { $0.machine.callsInFlight.entryCount }
        #expect(entries <= 2_048)
        test.advance(.seconds(999))
        #expect(test.counts.slowInFlight >= 1)
    }

    @Test("Slow probes keep the breaker from closing, as soon as they are slow")
    func slowProbe() throws {
        let test = try BreakerUnderTest(Self.rules)
        try test.breaker.open(for: .seconds(1))
        test.advance(.seconds(1))
        let probe = try #require(test.admit())
        test.advance(.seconds(1))
        #expect(test.counts.slowInFlight == 1)
        #expect(!test.call())
        #expect(test.state == .open)
        test.settle(probe, .success)
        #expect(test.state == .open)
        #expect(test.counts.isConserved)
    }
}
