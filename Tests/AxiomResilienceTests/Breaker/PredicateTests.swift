// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import Testing

@testable import AxiomResilience

@Suite("The configuration's own predicate", .timeLimit(.minutes(10)))
struct PredicateTests {
    /// The breaker that a predicate reads, which is made after it.
    private final class Holder: Sendable {
        let breaker = Lock<CircuitBreaker?>(nil)
        var current: CircuitBreaker? { breaker.withLock { $0 } }
    }

    private static func test(
        _ predicate: @escaping @Sendable (CircuitBreaker?, WindowSummary) -> Bool
    ) throws
        -> BreakerUnderTest
    {
        let holder = Holder()
        let test = try BreakerUnderTest {
            $0.minimumCalls = 100
            $0.slowCallDuration = .seconds(1)
            $0.tripWhen = { predicate(holder.current, $0) }
        }
        holder.breaker.withLock { $0 = test.breaker }
        return test
    }

    @Test("It may read the breaker, after a call as well as before one that follows slow calls")
    func readsItsBreaker() throws {
        let test = try Self.test { breaker, window in
            guard let breaker, breaker.state == .closed else { return false }
            return breaker.summary().window.slowInFlight >= 2 && window.slowInFlight >= 2
        }
        test.calls(.failure, .success)
        #expect(test.state == .closed)
        for _ in 0..<2 { _ = test.admit() }
        test.advance(.seconds(1))
        #expect(test.admit() == nil)
        #expect(test.summary.transitions.contains { $0.edge.reason == .predicate && $0.count == 1 })
    }

    @Test("It is called once for each call that ends, with the window that the call left")
    func onceForEachCall() throws {
        let seen = Lock<[Int]>([])
        let test = try Self.test { _, window in
            seen.withLock { $0.append(window.calls) }
            return false
        }
        test.calls(.success, .failure, .ignored, .success)
        #expect(seen.withLock { $0 } == [1, 2, 3])
    }

    @Test("A yes to a question from before an order or an opening changes nothing")
    func staleAnswer() throws {
        let test = try Self.test { breaker, window in
            if window.failures > 0 { breaker?.reset() }
            return window.failures > 0
        }
        test.call(.failure)
        #expect(test.state == .closed && test.summary.window.calls == 0)
        let ordered = try Self.test { breaker, _ in
            breaker?.disable()
            return true
        }
        ordered.call()
        #expect(ordered.state == .disabled)
    }

    @Test("Eight tasks whose predicate reads the breaker end, and open it once at a time")
    func contention() async throws {
        let holder = Holder()
        var configuration = CircuitBreakerConfiguration(
            window: .count(100),
            minimumCalls: 100,
            openDuration: .seconds(60)
        )
        configuration.tripWhen = { window in
            _ = holder.current?.summary()
            return window.failures >= 50
        }
        configuration.failureRateThreshold = nil
        // Time stands still, so that the breaker stays open however long the tasks take.
        let breaker = try CircuitBreaker(name: "shop", configuration, clock: .manual(ManualTime()))
        holder.breaker.withLock { $0 = breaker }
        await withTaskGroup { group in
            for _ in 0..<8 {
                group.addTask {
                    for _ in 0..<500 { _ = try? await breaker.run { throw BreakerUnderTest.Failure() } }
                }
            }
        }
        let summary = breaker.summary()
        #expect(summary.state == .open && summary.count(.closed, .open) == 1)
        #expect(summary.counts.isConserved && summary.counts.failure >= 50 && summary.counts.rejected > 0)
    }
}
