// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("Shadow mode, and orders of an operator")
struct ShadowTests {
    @Test(
        "A shadow breaker goes through what an enforcing one would, rejects nothing and counts what that would reject"
    )
    func sameAsEnforcing() throws {
        let rules = CircuitBreakerConfiguration(
            window: .count(5),
            minimumCalls: 2,
            openDuration: .seconds(1),
            halfOpenPermits: 2,
            ramp: .init(duration: .seconds(2))
        )
        let enforcing = try BreakerUnderTest(rules)
        let shadow = try BreakerUnderTest(rules) { $0.mode = .shadow }
        var dice = Dice(seed: 9)
        for _ in 0..<20_000 {
            let outcome: CallOutcome = Int.random(in: 0..<4, using: &dice) == 0 ? .failure : .success
            enforcing.call(outcome)
            #expect(shadow.call(outcome))
            let pause = Duration.milliseconds(Int.random(in: 0...60, using: &dice))
            enforcing.advance(pause)
            shadow.advance(pause)
            guard enforcing.state == shadow.summary.decidedState else {
                Issue.record("\(enforcing.summary), but \(shadow.summary)")
                return
            }
        }
        #expect(shadow.state == .shadow)
        #expect(shadow.counts.rejected == 0)
        #expect(shadow.counts.shadowRejections == enforcing.counts.rejected)
        #expect(enforcing.counts.rejected > 1_000)
        #expect(shadow.summary.transitions.map(\.shadowCount) == enforcing.summary.transitions.map(\.count))
        #expect(shadow.summary.transitions.allSatisfy { $0.count == 0 })
        #expect(shadow.summary.timeInState[.shadow] == shadow.time.now.duration(since: Instant(nanoseconds: 0)))
    }

    @Test("Enforcing begins where the shadow was")
    func enforceFromShadow() throws {
        let test = try BreakerUnderTest { configuration in
            configuration.mode = .shadow
            configuration.minimumCalls = 1
        }
        test.call(.failure)
        #expect(test.call())
        var configuration = test.breaker.configuration
        configuration.mode = .enforcing
        try test.breaker.reconfigure(configuration)
        #expect(test.state == .open)
        #expect(!test.call())
        #expect(test.summary.count(.shadow, .open) == 1)
    }

    @Test("Forced open rejects all calls, disabled admits all and decides nothing, and a reset closes the breaker")
    func orders() throws {
        let test = try BreakerUnderTest { $0.minimumCalls = 1 }
        let early = try #require(test.admit())
        test.breaker.forceOpen()
        test.advance(.seconds(1_000))
        #expect(!test.call())
        #expect(test.state == .forcedOpen)
        test.breaker.disable()
        for _ in 0..<50 { #expect(test.call(.failure)) }
        #expect(test.state == .disabled)
        #expect(test.summary.window.calls == 0)
        test.breaker.reset()
        test.settle(early, .failure)
        #expect(test.state == .closed)
        test.call(.failure)
        #expect(test.state == .open)
        test.breaker.reset()
        #expect(test.state == .closed)
        #expect(test.counts.isConserved && test.counts.failure == 52)
        #expect(test.summary.timeInState[.forcedOpen] == .seconds(1_000))
    }

    @Test("No state is its own successor, an order can always be given, and nothing opens or probes under one")
    func legalTransitions() {
        func canBecome(_ state: CircuitState, _ next: CircuitState) -> Bool {
            CircuitEdge.all.contains { $0.from == state && $0.to == next }
        }
        for state in CircuitState.allCases {
            #expect(!canBecome(state, state))
            #expect(state == .forcedOpen || canBecome(state, .forcedOpen))
            #expect(state == .disabled || canBecome(state, .disabled))
        }
        for order in [CircuitState.forcedOpen, .disabled] {
            #expect(!canBecome(order, .open) && !canBecome(order, .halfOpen))
        }
        #expect(!canBecome(CircuitState.closed, .halfOpen))
        #expect(Set(CircuitEdge.all).count == CircuitEdge.all.count)
    }
}
