// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("Half open: probes and the ramp")
struct ReadmissionTests {
    private static let rules = CircuitBreakerConfiguration(minimumCalls: 4, openDuration: .seconds(1))

    private static func probing(_ change: (inout CircuitBreakerConfiguration) -> Void) throws -> BreakerUnderTest {
        let test = try BreakerUnderTest(rules, change)
        try test.breaker.open(for: .seconds(1))
        test.advance(.seconds(1))
        return test
    }

    @Test("All permits have to pass, and the first failure that decides opens it without waiting for the others")
    func verdict() throws {
        let test = try Self.probing { $0.halfOpenPermits = 4 }
        test.calls(.success, .failure, .success)
        #expect(test.state == .halfOpen)
        test.call(.success)
        #expect(test.state == .closed)
        let other = try Self.probing { $0.halfOpenPermits = 4 }
        let waiting = try #require(other.admit())
        other.calls(.failure, .failure)
        #expect(other.state == .open)
        other.settle(waiting)
        #expect(other.counts.stale == 1)
    }

    @Test("A probe that has lost its permit counts as failed, and others can outvote it")
    func timedOutProbe() throws {
        let test = try Self.probing { $0.halfOpenPermits = 3 }
        let hung = try #require(test.admit())
        test.advance(.seconds(29))
        test.calls(.success, .success)
        #expect(test.state == .halfOpen)
        #expect(!test.call())
        test.advance(.seconds(1))
        #expect(test.state == .closed)
        test.settle(hung)
        #expect(test.counts.stale == 1 && test.counts.isConserved)
    }

    @Test(
        "The ramp admits the share that grows from the first one to all, within a call, and then the breaker is closed"
    )
    func ramp() throws {
        let test = try Self.probing { $0.ramp = .init(duration: .seconds(10), initialShare: 0.1) }
        test.call()
        #expect(test.state == .halfOpen)
        #expect(test.summary.rampShare == 0.1)
        var (due, admitted) = (0.0, 0)
        for step in 0..<1_000 {
            due += 0.1 + 0.9 * Double(step) / 1_000
            if test.call() { admitted += 1 }
            #expect(abs(Double(admitted) - due) <= 1)
            test.advance(.milliseconds(10))
        }
        #expect(test.state == .closed)
        #expect(test.summary.rampShare == nil)
        #expect(test.summary.timeInState[.halfOpen] == .seconds(10))
        #expect(test.counts.rejected == 1_000 - admitted)
        // Results since then still count.
        #expect(test.summary.window.calls == min(100, admitted))
    }

    @Test("Failures during the ramp open it again, for longer")
    func failingRamp() throws {
        let test = try BreakerUnderTest(Self.rules) { $0.ramp = .init(duration: .seconds(10), initialShare: 0.9) }
        test.calls(.failure, .failure, .failure, .failure)
        #expect(test.summary.openRemaining == .seconds(1))
        test.advance(.seconds(1))
        test.call()
        while test.state == .halfOpen { test.call(.failure) }
        #expect(test.state == .open)
        #expect(test.summary.openRemaining == .seconds(2))
        #expect(test.summary.count(.closed, .open) == 1 && test.summary.count(.halfOpen, .open) == 1)
    }
}
