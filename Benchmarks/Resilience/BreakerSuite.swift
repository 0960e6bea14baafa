// SPDX-License-Identifier: Apache-2.0

import AxiomBase
import AxiomResilience
import BenchmarkSupport
import CAllocations

/// All benchmarks of the circuit breaker, with their goals.
struct BreakerSuite {
    typealias Body = @Sendable (Int) async -> Void

    private static let iterations = 10_000
    /// Longer than 15 bytes, so that it is an object with a reference count, as most names in a program are.
    private static let name = ["ShoppingCartClient", "breaker"].joined(separator: ".")

    private var run: BenchmarkRun
    private let only: String
    private let rounds: Int
    private var entries: [Measured] = []
    private var shared: [(id: String, single: String, goal: Double?, body: Body)] = []
    private let operation = Operation()

    init(only: String, rounds: Int) throws {
        self.only = only
        self.rounds = rounds
        run = BenchmarkRun(iterations: Self.iterations, rounds: rounds)
        run.addFloors()
        addBare()
        try addClosed("resilience/breaker.closed", CircuitBreakerConfiguration(), goal: 2.5, pairGoal: 2)
        try addClosed("resilience/breaker.closed.time", CircuitBreakerConfiguration(window: .time(.seconds(10))))
        try addClosed(
            "resilience/breaker.closed.slow",
            CircuitBreakerConfiguration(slowCallDuration: .seconds(60))
        )
        try addClosed("resilience/breaker.closed.shadow", CircuitBreakerConfiguration(mode: .shadow))
        try addLowLevel()
        try addFailures()
        try addOpen()
    }

    mutating func run() async -> ResilienceReport {
        var allocations: [String: Double] = [:]
        for entry in entries { allocations[entry.id] = await Self.allocations(entry.body) }
        let times = await run.run()
        var pairs: [String: [Double]] = [:]
        for _ in 0..<rounds {
            for pair in shared {
                guard let time = await TaskPair.time(attempts: 10, Self.iterations, pair.body) else { continue }
                pairs[pair.id, default: []].append(time)
            }
        }
        return ResilienceReport(
            times: Dictionary(uniqueKeysWithValues: times.results.map { ($0.id, $0.nanoseconds) }),
            entries: entries,
            allocations: allocations,
            pairs: shared.map { ($0.id, $0.single, $0.goal, pairs[$0.id, default: []].sorted()) }
        )
    }

    private mutating func addBare() {
        let operation = operation
        let body: Body = { iterations in
            for _ in 0..<iterations { keep(try? await operation.body()) }
        }
        add("resilience/call.bare", .absolute(nil), body)
        addShared("resilience/call.bare", nil, body)
    }

    private mutating func addClosed(
        _ id: String,
        _ configuration: CircuitBreakerConfiguration,
        goal: Double? = nil,
        pairGoal: Double? = nil
    ) throws {
        let breaker = try CircuitBreaker(name: Self.name, configuration)
        let operation = operation
        let body: Body = { iterations in
            for _ in 0..<iterations { keep(try? await breaker.run(operation.body)) }
        }
        add(id, .added(to: "resilience/call.bare", goal), body)
        addShared(id, pairGoal, body)
    }

    /// Admission and record alone, with two instants that the caller has read: what a wrapper that measures pays.
    private mutating func addLowLevel() throws {
        let breaker = try CircuitBreaker(name: Self.name, CircuitBreakerConfiguration(slowCallDuration: .seconds(60)))
        add("resilience/breaker.admit+record.slow", .absolute(nil)) { iterations in
            var now = TimeSource.live.now
            for _ in 0..<iterations {
                guard case .admitted(let permit) = breaker.admit(at: now) else { continue }
                now = Instant(nanoseconds: now.nanoseconds + 40)
                breaker.record(permit, .success, at: now)
            }
        }
    }

    /// The same where every fiftieth call fails: no window is full of nothing but successes.
    private mutating func addFailures() throws {
        let breaker = try CircuitBreaker(name: Self.name)
        let body: Body = { iterations in
            let now = TimeSource.live.now
            for index in 0..<iterations {
                guard case .admitted(let permit) = breaker.admit(at: now) else { continue }
                breaker.record(permit, index % 50 == 0 ? .failure : .success, at: now)
            }
        }
        add("resilience/breaker.admit+record.failures", .absolute(nil), body)
        addShared("resilience/breaker.admit+record.failures", nil, body)
    }

    private mutating func addOpen() throws {
        let breaker = try CircuitBreaker(name: Self.name)
        try breaker.open(for: .seconds(86_400))
        add("resilience/breaker.open", .absolute(1.5)) { iterations in
            var rejections = 0
            for _ in 0..<iterations {
                if case .rejected(let rejection) = breaker.admit(at: TimeSource.live.now) {
                    rejections &+= rejection.remaining == nil ? 0 : 1
                }
            }
            keep(rejections)
        }
        let operation = operation
        add("resilience/breaker.open.thrown", .absolute(nil)) { iterations in
            for _ in 0..<iterations { keep(try? await breaker.run(operation.body)) }
        }
    }

    private mutating func add(_ id: String, _ goal: Measured.Goal, _ body: @escaping Body) {
        // What others are compared with is always measured.
        guard id.hasPrefix(only) || id == "resilience/call.bare" else { return }
        run.add(id, body)
        entries.append(Measured(id: id, goal: goal, body: body))
    }

    /// Adds a benchmark that two tasks run at the same time on one breaker.
    private mutating func addShared(_ id: String, _ goal: Double?, _ body: @escaping Body) {
        guard id.hasPrefix(only) else { return }
        shared.append((id + ".2threads", id, goal, body))
    }

    /// How often one operation allocates. The body does not suspend, so that it stays on one thread.
    private static func allocations(_ body: @escaping Body) async -> Double {
        await Task.detached {
            await body(2_000)
            let before = axiom_allocations_of_thread()
            await body(10_000)
            return Double(axiom_allocations_of_thread() - before) / 10_000
        }.value
    }
}

/// A benchmark and what it should be.
struct Measured {
    enum Goal {
        /// At most so many times the reading of a clock.
        case absolute(Double?)
        /// The same after what another benchmark takes was subtracted.
        case added(to: String, Double?)
    }

    let id: String
    let goal: Goal
    let body: BreakerSuite.Body
}

/// What is called: a closure that the compiler does not see through.
struct Operation: Sendable {
    let body: @Sendable () async throws -> Int

    init() {
        let value = CommandLine.arguments.count
        body = { value }
    }
}
