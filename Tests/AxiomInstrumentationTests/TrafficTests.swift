// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import Testing

@testable import AxiomInstrumentation

/// Asks the same client as `CounterContext` does.
@MainActor
private final class NightContext: Context {
    nonisolated let identity: ComponentIdentity
    let mail: any StatelessClient<MailAction>

    init(_ scope: borrowing ContextScope) throws {
        identity = scope.identity
        mail = try scope.client(MailClient.self)
    }
}

@Suite("Who calls whom")
@MainActor
struct TrafficTests {
    private func edge(_ from: String, _ to: String) -> ComponentDependency {
        ComponentDependency(
            from: ComponentDescriptor(kind: .context, name: from),
            to: ComponentDescriptor(kind: .client, name: to)
        )
    }

    private func app(_ clock: TimeSource = .live, _ breakers: [BreakerRule] = []) async throws -> SampleApp {
        let app = try SampleApp(clock: clock, breakers: breakers)
        app.orchestrator.register(NightContext.self) { try NightContext($0) }
        try await app.orchestrator.start()
        return app
    }

    @Test("Each context's calls are counted apart, and together they are the client's, however they end")
    func apart() async throws {
        let app = try await app()
        let hosts = [try await app.mountedHost(), try await app.mountedHost()]
        let night = try app.orchestrator.makeContext(NightContext.self)
        for host in hosts {
            let context = try #require(host.context)
            await context.send(.mail {})
            await context.send(.mail { throw Refused() })
            await context.send(.mail { throw Cancellation.onPurpose })
            await context.send(.sell {})
        }
        for _ in 0..<5 { try? await night.mail.process(.send { throw Refused() }) }
        try await night.mail.process(.misnumbered(index: -7))
        try await night.mail.process(.misnumbered(index: .max))
        let traffic = app.telemetry.readings.traffic
        #expect(traffic[edge("CounterContext", "MailClient")] == CallCounts(calls: 6, failures: 2))
        #expect(traffic[edge("NightContext", "MailClient")] == CallCounts(calls: 7, failures: 5))
        #expect(traffic[edge("CounterContext", "TillClient")] == CallCounts(calls: 2, failures: 0))
        // The client of the till asks its vault.
        let vault = ComponentDescriptor(kind: .capability, name: "Vault")
        let till = ComponentDescriptor(kind: .client, name: "TillClient")
        let calls = traffic[ComponentDependency(from: till, to: vault)]
        #expect(calls?.calls == 2 && calls?.failures == 0)
        #expect(traffic.count == 4)
        let actions = app.metrics.total("axiom_client_actions_total", where: ["client": "MailClient"])
        #expect(actions == 13)
        #expect(Set(traffic.keys).isSubset(of: app.telemetry.readings.edges))
        #expect(app.metrics.total("axiom_client_actions_in_flight") == 0)
        #expect(app.telemetry.readings.actionsInFlight.values.allSatisfy { $0.isEmpty })
    }

    @Test("A call that a circuit breaker refuses counts as a call and as a failure")
    func refused() async throws {
        var sensitive = CircuitBreakerConfiguration()
        (sensitive.window, sensitive.minimumCalls) = (.count(2), 2)
        let app = try await app(.live, [.client(MailClient.self, sensitive)])
        let night = try app.orchestrator.makeContext(NightContext.self)
        for _ in 0..<6 { try? await night.mail.process(.send { throw Refused() }) }
        let counts = try #require(app.telemetry.readings.traffic[edge("NightContext", "MailClient")])
        let outcomes = app.metrics.outcomes(client: "MailClient", "send")
        #expect(outcomes["rejected", default: 0] > 0)
        #expect(counts == CallCounts(calls: 6, failures: 6))
        #expect(outcomes.values.reduce(0, +) == 6)
    }

    @Test("The actions in flight are counted by action, over all callers")
    func inFlight() async throws {
        let time = ManualTime()
        let clock = TimeSource.manual(time)
        let app = try await app(clock)
        let host = try await app.mountedHost()
        let context = try #require(host.context)
        let night = try app.orchestrator.makeContext(NightContext.self)
        let sleep: Work = { try await clock.sleep(for: .seconds(60)) }
        let tasks: [Task<Void, Never>] = [
            Task { await context.send(.mail(sleep)) }, Task { _ = try? await night.mail.process(.send(sleep)) },
            Task { await context.send(.sell(sleep)) },
        ]
        await time.waitForSleepers(3)
        var inFlight =
            ["MailClient": ["send": 2], "TillClient": ["sell": 1], "Vault": [:]] as [String: [String: UInt64]]
        #expect(app.telemetry.readings.actionsInFlight == inFlight)
        #expect(app.metrics.value("axiom_client_actions_in_flight", ["client": "MailClient"]) == 2)
        time.advance(by: .seconds(60))
        for task in tasks { await task.value }
        inFlight = ["MailClient": [:], "TillClient": [:], "Vault": [:]]
        #expect(app.telemetry.readings.actionsInFlight == inFlight)
    }

    @Test("Contexts of one type share their probes, and those of another type have their own")
    func shared() async throws {
        let app = try await app()
        let (one, other) = (try await app.mountedHost(), try await app.mountedHost())
        let night = try app.orchestrator.makeContext(NightContext.self)
        #expect(one.context?.mail as AnyObject === other.context?.mail as AnyObject)
        #expect(one.context?.mail as AnyObject !== night.mail as AnyObject)
    }

    @Test("The longest life of a type, and its module, are known")
    func census() async throws {
        let time = ManualTime()
        let app = try await SampleApp.started(clock: .manual(time))
        for seconds in [3, 11, 5] {
            let host = try await app.mountedHost()
            time.advance(by: .seconds(seconds))
            await host.unmount()
        }
        let row = try #require(app.telemetry.readings.components.first { $0.component.name == "ReceiptContext" })
        #expect(row.longestLifetime == 11_000_000_000)
        #expect(row.module == "AxiomSampleApp")
    }

    @Test("A second orchestrator is refused the telemetry of one that runs, and given that of one that was shut down")
    func oneOrchestrator() async throws {
        let app = try await SampleApp.started()
        let second = Orchestrator(instrumentation: app.telemetry, limits: .endless)
        let error = await #expect(throws: TelemetryError.self) { try await second.start() }
        #expect(error?.code == .telemetryTaken)
        #expect(error?.description.contains("Give each orchestrator a telemetry of its own") == true)
        #expect(!second.isRunning)
        try await app.runOnce()
        await app.orchestrator.shutdown()
        try await Orchestrator(instrumentation: app.telemetry, limits: .endless).start()
    }
}
#endif
