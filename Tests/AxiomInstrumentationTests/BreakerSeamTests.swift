// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Synchronization
import Testing

/// Throws the error that the action names.
private actor TillDouble: Client {
    nonisolated let stateStream = StateStore(TillState()).stream
    let state = TillState()
    private(set) var calls = 0

    func process(_ action: TillAction) async throws {
        calls += 1
        throw Refused()
    }
}

private actor MailDouble: StatelessClient {
    private(set) var calls = 0

    func process(_ action: MailAction) async throws {
        calls += 1
        throw Refused()
    }
}

/// Asks the client, and recovers as a test chooses.
@MainActor
private final class StubbornContext: Context {
    nonisolated let identity: ComponentIdentity
    private let till: any Client<TillState, TillAction>
    var choose: @MainActor (any Error) -> RecoveryStrategy = { _ in .surface }

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        till = try scope.client(TillClient.self)
    }

    func handle(_ action: TillAction) async throws { try await till.process(action) }
    func recovery(for error: any Error) -> RecoveryStrategy { choose(error) }
}

/// A client that starts after a given number of failed starts.
private actor LateClient: StatelessClient, Component {
    nonisolated let identity: ComponentIdentity
    private let failures: Failures

    final class Failures: Sendable {
        private let left: Atomic<Int>

        init(_ count: Int) { left = Atomic(count) }

        func strike() throws {
            if left.subtract(1, ordering: .relaxed).oldValue > 0 { throw Refused() }
        }
    }

    init(_ scope: borrowing ClientScope, _ failures: Failures) {
        identity = scope.identity
        self.failures = failures
    }

    func activate() async throws { try failures.strike() }
    func process(_ action: MailAction) async throws {}
}

@MainActor
private final class LateContext: Context {
    nonisolated let identity: ComponentIdentity
    private let client: any StatelessClient<MailAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        client = try scope.client(LateClient.self)
    }

    func handle(_ action: MailAction) async throws { try await client.process(action) }
}

@Suite("Circuit breakers where clients are replaced, retried and called like others")
@MainActor
struct BreakerSeamTests {
    private static let configuration = CircuitBreakerConfiguration(
        failureRateThreshold: nil,
        consecutiveFailures: 3,
        openDuration: .seconds(1),
        openDurationJitter: 0
    )

    private func calls(_ app: SampleApp, _ breaker: String) -> [String: Double] {
        var calls: [String: Double] = [:]
        for series in app.metrics.family("axiom_circuit_calls_total").map(Array.init) ?? []
        where series.labels["breaker"] == breaker && series.value > 0 {
            calls[series.labels["outcome"]] = series.value
        }
        return calls
    }

    private func state(_ app: SampleApp, _ breaker: String) -> String? {
        let family = app.metrics.family("axiom_circuit_state")
        return family?.first { $0.labels["breaker"] == breaker && $0.value == 1 }?.labels["state"]
    }

    /// An application that runs, with a context that asks its client.
    private func stubborn(_ time: ManualTime, _ rule: BreakerRule) async throws -> (SampleApp, StubbornContext) {
        let app = try SampleApp(clock: .manual(time), breakers: [rule])
        app.orchestrator.register(StubbornContext.self) { try StubbornContext($0) }
        try await app.orchestrator.start()
        return (app, try app.orchestrator.makeContext(StubbornContext.self))
    }

    @Test("A test double of a client is guarded by the client's configured breaker")
    func double() async throws {
        let rules: [BreakerRule] = [
            .client(TillClient.self, Self.configuration), .client(MailClient.self, Self.configuration),
        ]
        let app = try SampleApp(clock: .manual(ManualTime()), breakers: rules)
        let (till, mail) = (TillDouble(), MailDouble())
        app.orchestrator.override(TillClient.self, with: till)
        app.orchestrator.override(MailClient.self, with: mail)
        try await app.orchestrator.start()
        let context = try #require(try await app.mountedHost().context)
        for _ in 1...4 {
            await context.send(.sell {})
            await context.send(.mail {})
        }
        #expect(await [till.calls, mail.calls] == [3, 3], "the fourth is not admitted")
        for client in ["TillClient", "MailClient"] {
            #expect(state(app, client) == "open")
            #expect(calls(app, client) == ["failure": 3, "rejected": 1])
        }
    }

    @Test("A retry in a context tries an open circuit once: one action is refused once")
    func retryOfRefusal() async throws {
        let (app, context) = try await stubborn(ManualTime(), .client(TillClient.self, Self.configuration))
        for _ in 1...3 { await context.send(.sell { throw Refused() }) }
        context.choose = { _ in .retry(attempts: 3, backoff: .none) }
        await context.send(.sell {})
        #expect(calls(app, "TillClient") == ["failure": 3, "rejected": 1])
        #expect((context.errorBoundary.current?.error as? CircuitError)?.code == .circuitOpen)
    }

    @Test("A retry ends when its own failures have opened the circuit")
    func retryThatOpens() async throws {
        let (app, context) = try await stubborn(ManualTime(), .client(TillClient.self, Self.configuration))
        context.choose = { _ in .retry(attempts: 9, backoff: .none) }
        await context.send(.sell { throw Refused() })
        #expect(calls(app, "TillClient") == ["failure": 3, "rejected": 1])
    }

    @Test("An action is rejected when no attempt of it ran; one that ran is what its run was", arguments: [0, 1, 2])
    func rejectedOrRun(failures: Int) async throws {
        let time = ManualTime()
        let (app, context) = try await stubborn(time, .context(StubbornContext.self, Self.configuration))
        for _ in 1...3 { await context.send(.sell { throw Refused() }) }
        let runs = Atomic(0)
        // Waits until a probe is admitted, except in the case without a run.
        context.choose = { _ in
            RecoveryStrategy("patience") { operation in
                if failures < 2 { time.advance(by: .milliseconds(1_100)) }
                try await operation.run()
            }
        }
        await context.send(
            .sell {
                let run = runs.wrappingAdd(1, ordering: .relaxed).newValue
                if run <= failures { throw Refused() }
            }
        )
        #expect(runs.load(ordering: .relaxed) == (failures < 2 ? 1 : 0))
        let outcomes = app.metrics.outcomes(context: "StubbornContext", "sell")
        let expected: [String: Double] = [
            "success": failures == 0 ? 1 : 0, "failure": failures == 1 ? 4 : 3, "cancelled": 0,
            "rejected": failures == 2 ? 1 : 0,
        ]
        #expect(outcomes == expected)
    }

    @Test("An action that ran and whose retry is refused has failed: it is in the durations, and not rejected")
    func refusedAfterRun() async throws {
        let (app, context) = try await stubborn(ManualTime(), .context(StubbornContext.self, Self.configuration))
        context.choose = { _ in RecoveryStrategy("again") { try await $0.run() } }
        for _ in 1...2 { await context.send(.sell { throw Refused() }) }
        #expect(calls(app, "StubbornContext") == ["failure": 3, "rejected": 1])
        #expect(
            app.metrics.outcomes(context: "StubbornContext", "sell")
                == ["success": 0, "failure": 2, "cancelled": 0, "rejected": 0]
        )
    }

    @Test(
        "A watched breaker with a client's name does not guard it; the client's own is renamed and reported"
    )
    func watchedBefore() async throws {
        let time = ManualTime()
        let app = try SampleApp(clock: .manual(time), breakers: [.client(TillClient.self, Self.configuration)])
        let own = try CircuitBreaker(name: "TillClient", CircuitBreakerConfiguration(), clock: .manual(time))
        try app.telemetry.watch(own)
        try await app.orchestrator.start()
        own.forceOpen()
        let context = try #require(try await app.mountedHost().context)
        await context.send(.sell {})
        for _ in 1...4 { await context.send(.sell { throw Refused() }) }
        #expect(state(app, "TillClient") == "forced_open")
        #expect(calls(app, "TillClient").isEmpty)
        #expect(state(app, "TillClient#2") == "open")
        #expect(calls(app, "TillClient#2") == ["success": 1, "failure": 3, "rejected": 1])
        #expect(app.metrics.problems.isEmpty)
        let reported = app.telemetry.errors.report.groups.filter {
            $0.code == ErrorCode.strategyNameTaken.rawValue
        }
        #expect(reported.map(\.fingerprint.component.name) == ["TillClient"])
    }

    @Test("A breaker with the name of a client that runs is refused, and the client keeps its own")
    func watchedAfter() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        let own = try CircuitBreaker(name: "TillClient", CircuitBreakerConfiguration(), clock: .manual(time))
        let error = try #require(throws: TelemetryError.self) { try app.telemetry.watch(own) }
        #expect(error.message.contains("TillClient"))
        own.forceOpen()
        #expect(state(app, "TillClient") == "shadow")
        #expect(app.telemetry.breakers.allSatisfy { $0 !== own })
    }

    @Test("A scrape leaves a watched breaker its own clock")
    func ownClock() throws {
        let time = ManualTime()
        let telemetry = try Telemetry()
        let breaker = try CircuitBreaker(name: "own", clock: .manual(time))
        try telemetry.watch(breaker)
        try breaker.open(for: .seconds(1))
        _ = telemetry.registry.collect()
        time.advance(by: .milliseconds(999))
        #expect(breaker.summary().openRemaining == .milliseconds(1))
    }

    @Test("A client that starts at a later attempt is on the page once, and counted once")
    func startedTwice() async throws {
        let app = try SampleApp()
        let failures = LateClient.Failures(2)
        app.orchestrator.register(LateClient.self) { LateClient($0, failures) }
        app.orchestrator.register(LateContext.self) { try LateContext($0) }
        app.orchestrator.recover { _ in .retry(attempts: 3, backoff: .none) }
        try await app.orchestrator.start()
        let context = try app.orchestrator.makeContext(LateContext.self)
        await context.send(.send {})
        let page = app.metrics
        #expect(page.problems.isEmpty)
        #expect(page.value("axiom_client_actions_in_flight", ["client": "LateClient"]) == 0)
        #expect(page.family("axiom_client_actions_in_flight")?.count == 3)
        #expect(page.outcomes(client: "LateClient", "send")["success"] == 1)
        #expect(page.value("axiom_client_action_duration_seconds", ["client": "LateClient", "action": "send"]) == 1)
        #expect(calls(app, "LateClient") == ["success": 1])
    }
}
#endif
