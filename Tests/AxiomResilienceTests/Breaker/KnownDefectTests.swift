// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

/// Defects that were found in other circuit breakers, each tried on ours.
@Suite("Known defects of other circuit breakers")
struct KnownDefectTests {
    private static let quick = CircuitBreakerConfiguration(minimumCalls: 2, openDuration: .seconds(1))

    @Test("1, resilience4j: late successes of calls from before the opening do not close a half-open breaker")
    func staleSuccesses() throws {
        let test = try BreakerUnderTest(Self.quick) { $0.halfOpenPermits = 2 }
        let early = [try #require(test.admit()), try #require(test.admit())]
        test.calls(.failure, .failure)
        #expect(test.state == .open)
        test.advance(.seconds(1))
        let probe = try #require(test.admit())
        for call in early { test.settle(call, .success) }
        #expect(test.state == .halfOpen)
        #expect(test.counts.stale == 2 && test.counts.success == 2)
        test.settle(probe)
        test.call()
        #expect(test.state == .closed)
        #expect(test.counts.isConserved)
    }

    @Test("2, AlexanderNey/CircuitBreaker: old failures do not keep new ones from opening it, nor count for ever")
    func oldFailures() throws {
        let test = try BreakerUnderTest { configuration in
            configuration.window = .time(.seconds(10))
            configuration.minimumCalls = 5
            configuration.failureRateThreshold = 1
        }
        for _ in 0..<3 {
            test.call(.failure)
            test.advance(.seconds(100))
        }
        #expect(test.summary.window.calls == 0)
        for _ in 0..<4 { test.call(.failure) }
        #expect(test.state == .closed)
        test.call(.failure)
        #expect(test.state == .open)

        let inRow = try BreakerUnderTest { $0.consecutiveFailures = 3 }
        inRow.calls(.failure, .failure, .success, .failure, .failure)
        #expect(inRow.state == .closed)
        inRow.call(.failure)
        #expect(inRow.state == .open)
    }

    @Test("3, cockatiel: failures leave a time window when their time is over, however few calls come")
    func forgottenFailures() throws {
        let test = try BreakerUnderTest { configuration in
            configuration.window = .time(.seconds(10))
            configuration.minimumCalls = 1_000
        }
        for _ in 0..<500 {
            test.call(.failure)
            test.advance(.milliseconds(1))
        }
        #expect(test.summary.window.failures == 500)
        test.advance(.seconds(3_600))
        test.call()
        #expect(test.summary.window.failures == 0)
        #expect(test.summary.window.calls == 1)
    }

    @Test("4, resilience4j: both windows obey the clock that was configured")
    func configuredClock() throws {
        for window in [CircuitBreakerConfiguration.Window.time(.seconds(10)), .count(100)] {
            let test = try BreakerUnderTest(Self.quick) { $0.window = window }
            test.calls(.failure, .failure)
            #expect(test.state == .open)
            test.advance(.nanoseconds(999_999_999))
            #expect(!test.call())
            test.advance(.nanoseconds(1))
            #expect(test.call())
            #expect(test.state == .closed)
            test.call(.failure)
            test.advance(.seconds(10))
            #expect(test.summary.window.failures == (window == .count(100) ? 1 : 0))
        }
    }

    @Test("5, resilience4j: ignored probes give their permits back, and no more probes are in flight than permits")
    func leakedPermits() throws {
        let test = try BreakerUnderTest(Self.quick) { $0.halfOpenPermits = 2 }
        test.calls(.failure, .failure)
        test.advance(.seconds(1))
        for _ in 0..<10 { #expect(test.call(.ignored)) }
        #expect(test.state == .halfOpen)
        #expect(test.summary.halfOpenPermitsInUse == 0)
        let probes = (0..<34).compactMap { _ in test.admit() }
        #expect(probes.count == 2)
        #expect(test.summary.halfOpenPermitsInUse == 2)
        for probe in probes { test.settle(probe) }
        #expect(test.state == .closed)
        #expect(test.counts.rejected == 32 && test.counts.ignored == 10)
        #expect(test.counts.isConserved)
    }

    @Test("6, failsafe-go: the state, its time and every count are there from the start")
    func presentFromTheStart() throws {
        let test = try BreakerUnderTest()
        test.advance(.seconds(3))
        let summary = test.summary
        #expect(summary.state == .closed)
        #expect(Set(summary.timeInState.keys) == Set(CircuitState.allCases))
        #expect(summary.timeInState[.closed] == .seconds(3))
        #expect(summary.timeInState[.open] == .zero)
        #expect(summary.transitions.map(\.edge) == CircuitEdge.all)
        #expect(summary.transitions.allSatisfy { $0.count == 0 })
        #expect(summary.counts == CircuitCounts())
        #expect(summary.failureRatio == nil && summary.slowRatio == nil)
    }

    @Test("7, resilience4j: no count is ever negative, slow calls included, whatever the order in which calls end")
    func neverNegative() throws {
        let test = try BreakerUnderTest { configuration in
            configuration.window = .time(.milliseconds(50))
            configuration.slowCallDuration = .milliseconds(5)
            configuration.minimumCalls = 4
            configuration.openDuration = .milliseconds(3)
        }
        var dice = Dice(seed: 7)
        var pending: [Ticket] = []
        for _ in 0..<20_000 {
            test.advance(.microseconds(Int.random(in: 0...2_000, using: &dice)))
            if Bool.random(using: &dice), let call = test.admit() { pending.append(call) }
            if Bool.random(using: &dice), let index = pending.indices.randomElement(using: &dice) {
                let outcomes: [CallOutcome] = [.success, .success, .failure, .ignored, .cancelled]
                test.settle(pending.remove(at: index), outcomes[Int.random(in: 0..<5, using: &dice)])
            }
            let counts = test.counts
            guard counts.isConserved, counts.inFlight == pending.count, counts.slowInFlight <= pending.count else {
                Issue.record("\(counts)")
                return
            }
        }
        #expect(test.counts.slow > 0)
    }

    @Test("8, Polly: a cancelled probe does not close it, and one that never settles does not hold it for ever")
    func cancelledAndHungProbes() throws {
        let test = try BreakerUnderTest(Self.quick) { $0.halfOpenTimeLimit = .seconds(30) }
        test.calls(.failure, .failure)
        test.advance(.seconds(1))
        test.call(.cancelled)
        #expect(test.state == .halfOpen)
        let hung = try #require(test.admit())
        test.advance(.seconds(6 * 86_400))
        // It opened again at the limit, for twice as long, and is ready to probe since.
        #expect(test.state == .halfOpen)
        #expect(test.summary.timeInState[.open] == .seconds(1 + 2))
        #expect(test.summary.count(.halfOpen, .open) == 1 && test.summary.count(.open, .halfOpen) == 2)
        #expect(test.call())
        #expect(test.state == .closed)
        test.settle(hung, .failure)
        #expect(test.state == .closed)
        #expect(test.counts.stale == 1 && test.counts.isConserved)
    }

    @Test(
        "9, gobreaker-metrics: what counters show are totals that only grow, and consecutive failures are not among them"
    )
    func totalsOnlyGrow() throws {
        let test = try BreakerUnderTest(Self.quick)
        var last = test.counts
        for index in 0..<200 {
            test.call(index % 3 == 0 ? .success : .failure)
            if index % 7 == 0 { test.advance(.seconds(1)) }
            if index == 150 { test.breaker.reset() }
            let counts = test.counts
            let pairs = [
                (last.offered, counts.offered), (last.success, counts.success), (last.failure, counts.failure),
                (last.rejected, counts.rejected),
            ]
            #expect(pairs.allSatisfy { $0 <= $1 })
            #expect(counts.offered == index + 1)
            // Reading adds nothing.
            #expect(test.counts == counts)
            last = counts
        }
        #expect(last.rejected > 0)
    }
}
