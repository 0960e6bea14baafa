// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("A circuit breaker that nothing calls")
struct IdleTests {
    private static func opened() throws -> BreakerUnderTest {
        let test = try BreakerUnderTest {
            $0.consecutiveFailures = 1
            $0.openDuration = .seconds(2)
        }
        test.advance(.seconds(1))
        test.call(.failure)
        return test
    }

    @Test("Every reading says half-open from the instant at which the open time is over")
    func readings() throws {
        let test = try Self.opened()
        test.advance(.nanoseconds(1_999_999_999))
        #expect(test.state == .open && test.summary.openRemaining == .nanoseconds(1))
        test.advance(.nanoseconds(1))
        #expect(test.state == .halfOpen)
        test.advance(.seconds(3_600))
        let summary = test.summary
        #expect(summary.state == .halfOpen && summary.decidedState == .halfOpen)
        #expect(summary.openUntil == nil && summary.openRemaining == nil && summary.halfOpenPermitsInUse == 0)
        #expect(summary.timeInState[.open] == .seconds(2) && summary.timeInState[.halfOpen] == .seconds(3_600))
    }

    @Test("The transition is made once, dated to that instant, and observers are called by the reading that finds it")
    func transition() throws {
        let test = try Self.opened()
        let seen = Lock<[CircuitTransition]>([])
        test.breaker.onTransition { transition in seen.withLock { $0.append(transition) } }
        test.advance(.seconds(60))
        for _ in 0..<3 { _ = test.summary }
        _ = test.state
        #expect(test.summary.count(.open, .halfOpen) == 1)
        let transition = try #require(seen.withLock { $0 }.first)
        #expect(transition.instant == Instant(nanoseconds: 3_000_000_000))
        #expect(transition.edge == CircuitEdge(from: .open, to: .halfOpen, reason: .openTimeOver))
        #expect(seen.withLock { $0.count } == 1)
        #expect(test.call())
        #expect(test.state == .closed && test.summary.count(.open, .halfOpen) == 1)
    }

    @Test("The next call probes, however long half-open has lasted, and the time limit of probes begins with it")
    func probe() throws {
        let test = try Self.opened()
        test.advance(.seconds(86_400))
        #expect(test.state == .halfOpen)
        let probe = try #require(test.admit())
        #expect(test.admit() == nil)
        test.advance(.seconds(29))
        #expect(test.state == .halfOpen)
        test.settle(probe, .failure)
        #expect(test.state == .open && test.summary.openRemaining == .seconds(4))
    }

    @Test("In shadow mode the decided state moves on, and the state stays shadow")
    func shadow() throws {
        let test = try BreakerUnderTest {
            $0.mode = .shadow
            $0.consecutiveFailures = 1
            $0.openDuration = .seconds(2)
        }
        test.call(.failure)
        #expect(test.summary.decidedState == .open)
        test.advance(.seconds(2))
        #expect(test.summary.decidedState == .halfOpen && test.state == .shadow)
        #expect(test.summary.count(.open, .halfOpen, isShadow: true) == 1)
    }
}
