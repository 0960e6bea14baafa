// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomBenchmarking
import AxiomResilience

/// What a strategy adds to a call, and what a rejection costs.
enum ResilienceSuite {
    static let suite = BenchmarkSuite("resilience") { suite in
        addBare(to: &suite)
        addClosed("breaker.closed", .init(), to: &suite, goal: 2.5, pairGoal: 2)
        addClosed("breaker.closed.time", .init(window: .time(.seconds(10))), to: &suite)
        addClosed("breaker.closed.slow", .init(slowCallDuration: .seconds(60)), to: &suite)
        addClosed("breaker.closed.shadow", .init(mode: .shadow), to: &suite)
        addLowLevel(to: &suite)
        addOpen(to: &suite)
        addRetry(to: &suite)
        addLimiter(to: &suite)
    }

    /// Longer than 15 bytes, so that it is an object with a reference count, as most names in a program are.
    private static let name = ["ShoppingCartClient", "breaker"].joined(separator: ".")
    private static let bare = "resilience/call.bare"

    private static func breaker(_ configuration: CircuitBreakerConfiguration = .init()) throws -> CircuitBreaker {
        try CircuitBreaker(name: name, configuration)
    }

    private static func addBare(to suite: inout BenchmarkSuite) {
        let body: @Sendable (Operation, Int) async -> Void = { operation, iterations in
            for _ in 0..<iterations { blackHole(try? await operation.body()) }
        }
        suite.addAsync("call.bare", fixture: { Operation() }, body)
        addPair("call.bare", goal: nil, to: &suite, { Operation() }, body)
    }

    private static func addClosed(
        _ id: String,
        _ configuration: CircuitBreakerConfiguration,
        to suite: inout BenchmarkSuite,
        goal: Double? = nil,
        pairGoal: Double? = nil
    ) {
        let body: @Sendable (CircuitBreaker, Int) async -> Void = { breaker, iterations in
            let operation = Operation()
            for _ in 0..<iterations { blackHole(try? await breaker.run(operation.body)) }
        }
        var options = BenchmarkOptions()
        options.goal = goal.map { .atMost($0, times: "floor/clock.read", without: bare) }
        suite.addAsync(id, options: options, fixture: { try breaker(configuration) }, body)
        addPair(id, goal: pairGoal, to: &suite, { try breaker(configuration) }, body)
    }

    /// Two tasks at the same time on one breaker.
    private static func addPair<Fixture: Sendable>(
        _ id: String,
        goal: Double?,
        to suite: inout BenchmarkSuite,
        _ make: @escaping @Sendable () throws -> Fixture,
        _ body: @escaping @Sendable (Fixture, Int) async -> Void
    ) {
        let limit = goal.map { BenchmarkGoal.atMost($0, times: "resilience/\(id)") }
        suite.addTaskPair("\(id).2threads", goal: limit, shared: make, body)
    }

    /// Admission and record alone, with instants that the caller has read: what a wrapper that measures pays.
    private static func addLowLevel(to suite: inout BenchmarkSuite) {
        suite.add(
            "breaker.admit+record.slow",
            fixture: try breaker(CircuitBreakerConfiguration(slowCallDuration: .seconds(60)))
        ) { breaker, iterations in
            var now = TimeSource.live.now
            for _ in 0..<iterations {
                guard case .admitted(let permit) = breaker.admit(at: now) else { continue }
                now = Instant(nanoseconds: now.nanoseconds + 40)
                breaker.record(permit, .success, at: now)
            }
        }
        // Every fiftieth call fails: no window is full of nothing but successes.
        let failing: @Sendable (CircuitBreaker, Int) -> Void = { breaker, iterations in
            let now = TimeSource.live.now
            for index in 0..<iterations {
                guard case .admitted(let permit) = breaker.admit(at: now) else { continue }
                breaker.record(permit, index % 50 == 0 ? .failure : .success, at: now)
            }
        }
        suite.add("breaker.admit+record.failures", fixture: try breaker(), failing)
        let together: @Sendable (CircuitBreaker, Int) async -> Void = { failing($0, $1) }
        addPair("breaker.admit+record.failures", goal: nil, to: &suite, { try breaker() }, together)
    }

    private static func addOpen(to suite: inout BenchmarkSuite) {
        let limit = BenchmarkOptions.goal(.atMost(1.5, times: "floor/clock.read"))
        suite.add("breaker.open", options: limit, fixture: try opened()) { breaker, iterations in
            var rejections = 0
            for _ in 0..<iterations {
                if case .rejected(let rejection) = breaker.admit(at: TimeSource.live.now) {
                    rejections &+= rejection.remaining == nil ? 0 : 1
                }
            }
            blackHole(rejections)
        }
        let thrown: @Sendable (CircuitBreaker, Int) async -> Void = { breaker, iterations in
            let operation = Operation()
            for _ in 0..<iterations { blackHole(try? await breaker.run(operation.body)) }
        }
        suite.addAsync("breaker.open.thrown", fixture: { try opened() }, thrown)
    }

    /// A call whose first attempt succeeds.
    private static func addRetry(to suite: inout BenchmarkSuite) {
        let body: @Sendable (Retry, Int) async -> Void = { retry, iterations in
            let operation = Operation()
            for _ in 0..<iterations { blackHole(try? await retry.run(operation.body)) }
        }
        suite.addAsync("retry.first", fixture: { try Retry(name) }, body)
    }

    /// One decision of a rate limiter, which reads the clock: nearly every request is admitted, or nearly none.
    private static func addLimiter(to suite: inout BenchmarkSuite) {
        let body: @Sendable (RateLimiter, Int) -> Void = { limiter, iterations in
            var admitted = 0
            for _ in 0..<iterations where limiter.take() == .admitted { admitted &+= 1 }
            blackHole(admitted)
        }
        let together: @Sendable (RateLimiter, Int) async -> Void = { body($0, $1) }
        suite.add("limiter.take", fixture: try RateLimiter(name, 1_000_000, per: .microseconds(1)), body)
        suite.add("limiter.take.refused", fixture: try RateLimiter(name, 1, per: .seconds(3_600)), body)
        addPair(
            "limiter.take",
            goal: nil,
            to: &suite,
            { try RateLimiter(name, 1_000_000, per: .microseconds(1)) },
            together
        )
    }

    private static func opened() throws -> CircuitBreaker {
        let breaker = try breaker()
        try breaker.open(for: .seconds(86_400))
        return breaker
    }
}

/// What is called: a closure that the compiler does not see through.
struct Operation: Sendable {
    let body: @Sendable () async throws -> Int

    init() {
        let value = opaque(1)
        body = { value }
    }
}
