// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import AxiomTestSupport
import Synchronization
import Testing

@Suite("Circuit breakers of clients and contexts")
@MainActor
struct BreakerTests {
    private struct TimedOut: Error {}

    /// Fails or succeeds as its action says, and counts the calls.
    private final class Server: Sendable {
        let isUp = Atomic(false)
        let calls = Atomic(0)

        func answer() throws {
            calls.wrappingAdd(1, ordering: .relaxed)
            if !isUp.load(ordering: .relaxed) { throw TimedOut() }
        }

        var callCount: Int { calls.load(ordering: .relaxed) }
    }

    private static let configuration = CircuitBreakerConfiguration(
        failureRateThreshold: nil,
        consecutiveFailures: 3,
        openDuration: .seconds(1),
        openDurationJitter: 0
    )

    /// The breaker's state, as the page shows it.
    private func state(_ app: SampleApp, _ breaker: String) -> String? {
        let family = app.metrics.family("axiom_circuit_state")
        return family?.first { $0.labels["breaker"] == breaker && $0.value == 1 }?.labels["state"]
    }

    private func calls(_ app: SampleApp, _ breaker: String) -> [String: Double] {
        var calls: [String: Double] = [:]
        for series in app.metrics.family("axiom_circuit_calls_total").map(Array.init) ?? []
        where series.labels["breaker"] == breaker {
            calls[series.labels["outcome"]] = series.value
        }
        return calls
    }

    private func transitions(_ app: SampleApp, _ breaker: String) -> [String: Double] {
        var transitions: [String: Double] = [:]
        for series in app.metrics.family("axiom_circuit_transitions_total").map(Array.init) ?? []
        where series.labels["breaker"] == breaker && series.value > 0 {
            let labels = ["from", "to", "reason"].map { series.labels[$0] }
            transitions[labels.joined(separator: " ")] = series.value
        }
        return transitions
    }

    @Test(
        "Three timeouts reach the operation, the fourth does not and is handled; after 1.1 s one probe runs and closes",
        arguments: ["TillClient", "CounterContext"]
    )
    func specification(breaker: String) async throws {
        let time = ManualTime()
        let rules: [BreakerRule] =
            breaker == "TillClient"
            ? [.client(TillClient.self, Self.configuration)] : [.context(CounterContext.self, Self.configuration)]
        let app = try await SampleApp.started(clock: .manual(time), breakers: rules)
        let context = try #require(try await app.mountedHost().context)
        let server = Server()
        for _ in 1...3 { await context.send(.sell { try server.answer() }) }
        #expect(server.callCount == 3)
        #expect(state(app, breaker) == "open")

        await context.send(.sell { try server.answer() })
        #expect(server.callCount == 3, "the fourth is not admitted")
        let error = try #require(context.errorBoundary.current?.error as? CircuitError)
        #expect(error.code == .circuitOpen)
        #expect(error.cause is TimedOut)
        #expect(error.breaker == breaker && error.state == .open && error.reason == .consecutiveFailures)
        #expect(error.remaining == .seconds(1))
        #expect(calls(app, breaker) == ["success": 0, "failure": 3, "ignored": 0, "cancelled": 0, "rejected": 1])

        server.isUp.store(true, ordering: .relaxed)
        time.advance(by: .milliseconds(1_100))
        async let first: Void = context.send(.sell { try server.answer() })
        await first
        #expect(server.callCount == 4)
        #expect(state(app, breaker) == "closed")
        #expect(
            transitions(app, breaker) == [
                "closed open consecutive_failures": 1,
                "open half_open open_time_over": 1,
                "half_open closed probes_passed": 1,
            ]
        )
        let spent = app.metrics.value("axiom_circuit_state_seconds_total", ["breaker": breaker, "state": "open"])
        // Half open begins when the open time is over, not with the call that probes.
        #expect(spent == 1)
    }

    @Test("A circuit that nothing calls leaves open on the page when its open time is over")
    func idle() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(
            clock: .manual(time),
            breakers: [.client(TillClient.self, Self.configuration)]
        )
        let context = try #require(try await app.mountedHost().context)
        for _ in 1...3 { await context.send(.sell { throw TimedOut() }) }
        #expect(state(app, "TillClient") == "open")
        time.advance(by: .seconds(3_600))
        #expect(state(app, "TillClient") == "half_open")
        func spent(_ state: String) -> Double? {
            app.metrics.value("axiom_circuit_state_seconds_total", ["breaker": "TillClient", "state": state])
        }
        #expect(spent("open") == 1)
        #expect(abs((spent("half_open") ?? 0) - 3_599) < 1e-6)
        #expect(transitions(app, "TillClient")["open half_open open_time_over"] == 1)
    }

    @Test(
        "A deadline around a client's action is a failure of the client's breaker, and the caller's cancellation is not"
    )
    func deadline() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(
            clock: .manual(time),
            breakers: [.client(TillClient.self, Self.configuration)]
        )
        let till = try #require(try await app.mountedHost().context).till
        let timeout = try Timeout("sale", .seconds(1), clock: .manual(time))
        func sell(cancelled: Bool) async -> (any Error)? {
            let call = Task {
                if cancelled { withUnsafeCurrentTask { $0?.cancel() } }
                try await timeout.run {
                    try await till.process(
                        .sell {
                            if !cancelled { time.advance(by: .seconds(1)) }
                            try await TimeSource.manual(time).sleep(for: .seconds(3_600))
                        }
                    )
                }
            }
            do { try await call.value } catch { return error }
            return nil
        }
        for _ in 1...2 { #expect(await sell(cancelled: false) is TimeoutError) }
        #expect(await sell(cancelled: true) is CancellationError)
        #expect(state(app, "TillClient") == "closed")
        #expect(await sell(cancelled: false) is TimeoutError)
        #expect(state(app, "TillClient") == "open")
        #expect(calls(app, "TillClient")["failure"] == 3 && calls(app, "TillClient")["cancelled"] == 1)
        let breaker = try #require(app.telemetry.breakers.first { $0.name == "TillClient" })
        #expect(breaker.error(for: try #require(rejection(breaker, time))).cause is TimeoutError)
    }

    private func rejection(_ breaker: CircuitBreaker, _ time: ManualTime) -> Rejection? {
        guard case .rejected(let rejection) = breaker.admit(at: time.now) else { return nil }
        return rejection
    }

    @Test("While the probe runs no other call is admitted, and a cancelled probe returns its permit")
    func oneProbe() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(
            clock: .manual(time),
            breakers: [.client(TillClient.self, Self.configuration)]
        )
        let context = try #require(try await app.mountedHost().context)
        let server = Server()
        for _ in 1...3 { await context.send(.sell { try server.answer() }) }
        time.advance(by: .milliseconds(1_100))
        let (began, begin) = AsyncStream.makeStream(of: Void.self)
        let probe = Task {
            await context.send(
                .sell {
                    begin.finish()
                    try await TimeSource.manual(time).sleep(for: .seconds(3_600))
                }
            )
        }
        for await _ in began {}
        await context.send(.sell { try server.answer() })
        #expect(server.callCount == 3)
        let error = try #require(context.errorBoundary.current?.error as? CircuitError)
        #expect(error.code == .circuitProbing && error.state == .halfOpen)
        #expect(error.breaker == "TillClient" && error.remaining == nil && error.cause is TimedOut)
        probe.cancel()
        await probe.value
        #expect(state(app, "TillClient") == "half_open")
        server.isUp.store(true, ordering: .relaxed)
        await context.send(.sell { try server.answer() })
        #expect(server.callCount == 4)
        #expect(state(app, "TillClient") == "closed")
    }

    @Test("A client without a rule is never refused: its breaker is a shadow that counts what it would have refused")
    func shadow() async throws {
        let app = try await SampleApp.started(clock: .manual(ManualTime()))
        let context = try #require(try await app.mountedHost().context)
        let server = Server()
        for _ in 1...100 { await context.send(.sell { try server.answer() }) }
        #expect(server.callCount == 100)
        #expect(state(app, "TillClient") == "shadow")
        #expect(app.metrics.outcomes(client: "TillClient", "sell")["rejected"] == 0)
        // The window opens at its minimum of 20 calls.
        #expect(app.metrics.value("axiom_circuit_shadow_rejections_total", ["breaker": "TillClient"]) == 80)
        #expect(state(app, "CounterContext") == nil, "a context without a rule has no breaker")
    }

    @Test("At every moment the breaker's calls are the client's actions, and a refusal is an action that was rejected")
    func conservation() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(
            clock: .manual(time),
            breakers: [.client(TillClient.self, Self.configuration)]
        )
        let context = try #require(try await app.mountedHost().context)
        var generator = SplitMix64(seed: 11)
        for step in 1...600 {
            let dice = Int.random(in: 0..<10, using: &generator)
            let isBad = (step / 50).isMultiple(of: 2)
            await context.send(
                .sell {
                    if dice == 0 {
                        withUnsafeCurrentTask { $0?.cancel() }
                        throw CancellationError()
                    }
                    if isBad, dice > 2 { throw TimedOut() }
                }
            )
            time.advance(by: .milliseconds(100))
            guard step.isMultiple(of: 20) else { continue }
            let page = app.metrics
            var expected = calls(app, "TillClient")
            expected["ignored"] = nil
            #expect(page.outcomes(client: "TillClient", "sell") == expected)
            #expect(expected.values.reduce(0, +) == Double(step))
        }
        #expect(calls(app, "TillClient")["rejected"] ?? 0 > 0)
        let durations = app.metrics.family("axiom_client_action_duration_seconds")
        let timed = durations?.first { $0.labels["client"] == "TillClient" && $0.labels["action"] == "sell" }
        let admitted = 600 - (calls(app, "TillClient")["rejected"] ?? 0)
        #expect(timed?.histogram.map { Double($0.count) } == admitted)
    }

    @Test("All series are there before the first call")
    func complete() async throws {
        let app = try await SampleApp.started(breakers: [.context(CounterContext.self)])
        for breaker in ["TillClient", "MailClient", "CounterContext"] {
            #expect(calls(app, breaker).count == 5)
            let states = app.metrics.family("axiom_circuit_state")?.count { $0.labels["breaker"] == breaker }
            #expect(states == CircuitState.allCases.count)
            let edges = app.metrics.family("axiom_circuit_transitions_total")?.count { $0.labels["breaker"] == breaker }
            #expect(edges == CircuitEdge.all.count)
            #expect(app.metrics.value("axiom_circuit_failure_ratio", ["breaker": breaker])?.isNaN == true)
        }
    }

    @Test("A configuration that no breaker can be made of, and a second rule for a type, are refused by name")
    func refused() throws {
        let wrong = CircuitBreakerConfiguration(openDuration: .zero)
        let invalid = try #require(throws: TelemetryError.self) {
            try Telemetry(breakers: [.client(TillClient.self, wrong)])
        }
        #expect(invalid.code == .invalidBreaker)
        #expect(invalid.message.contains("TillClient") && invalid.message.contains("openDuration"))
        #expect(invalid.message.contains("BreakerTests.swift:"))
        let twice = try #require(throws: TelemetryError.self) {
            try Telemetry(breakers: [.client(TillClient.self), .client(TillClient.self)])
        }
        #expect(twice.message.contains("TillClient"))
    }

    @Test("The strategies of a policy are on the page from the moment they are watched, and one name is one strategy")
    func policies() async throws {
        let telemetry = try Telemetry()
        let retry = try Retry("checkout") { $0.backoff = .none }
        let policy = try Policy("checkout") {
            retry
            try Bulkhead("checkout") { $0.limit = 3 }
            try CircuitBreaker(name: "payments", CircuitBreakerConfiguration(consecutiveFailures: 5))
            try Timeout("checkout", .seconds(5), clock: .manual(ManualTime()))
        }
        let fallback = try Fallback("prices") { _ in 7 }
        try telemetry.watch(fallback)
        #expect(throws: TelemetryError.self) { try telemetry.watch(try Fallback("prices") { _ in "other" }) }
        #expect(try await fallback.run { throw TimedOut() } == 7)
        try telemetry.watch(policy)
        try telemetry.watch(retry)
        #expect(throws: TelemetryError.self) { try telemetry.watch(try Retry("checkout") { $0.backoff = .none }) }
        await #expect(throws: TimedOut.self) { try await policy.run { throw TimedOut() } }
        let page = telemetry.registry.collect()
        let attempts = retry.counts.retries
        #expect(attempts > 0)
        #expect(page.value("axiom_retries_total", ["policy": "checkout", "outcome": "exhausted"]) == 1)
        #expect(page.value("axiom_retries_total", ["policy": "checkout", "outcome": "success_first"]) == 0)
        #expect(page.value("axiom_retry_attempts_total", ["policy": "checkout"]) == Double(attempts))
        #expect(page.value("axiom_bulkhead_limit", ["policy": "checkout"]) == 3)
        #expect(page.value("axiom_bulkhead_in_use", ["policy": "checkout"]) == 0)
        #expect(page.value("axiom_timeouts_total", ["policy": "checkout"]) == 0)
        for (outcome, count) in [("fresh", 0.0), ("substitute", 1), ("failed", 0), ("other_type", 0)] {
            #expect(page.value("axiom_fallbacks_total", ["policy": "prices", "outcome": outcome]) == count)
        }
        #expect(
            page.value("axiom_circuit_calls_total", ["breaker": "payments", "outcome": "failure"])
                == Double(attempts + 1)
        )
    }
}
#endif
