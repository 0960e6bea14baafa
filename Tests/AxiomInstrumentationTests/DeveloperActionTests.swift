// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomResilience
import AxiomSampleApp
import AxiomTestSupport
import Testing

@Suite("What developers do to a running application", .timeLimit(.minutes(10)))
@MainActor
struct DeveloperActionTests {
    private static let configuration = CircuitBreakerConfiguration(
        failureRateThreshold: nil,
        consecutiveFailures: 3,
        openDuration: .seconds(1),
        openDurationJitter: 0
    )

    private let time = ManualTime()

    private func app(enforcing: Bool = false) async throws -> SampleApp {
        let rules: [BreakerRule] = enforcing ? [.client(TillClient.self, Self.configuration)] : []
        return try await SampleApp.started(clock: .manual(time), breakers: rules)
    }

    private func breaker(_ app: SampleApp) throws -> CircuitBreaker {
        try #require(app.telemetry.breakers.first { $0.name == "TillClient" })
    }

    private func outcomes(_ app: SampleApp) -> [String: Double] {
        var counts: [String: Double] = [:]
        for series in app.metrics.family("axiom_client_actions_total").map(Array.init) ?? []
        where series.labels["client"] == "TillClient" {
            counts[series.labels["outcome"], default: 0] += series.value
        }
        return counts
    }

    @Test("Injected errors open the breaker like real ones, and the group of errors names their code")
    func breakerOpens() async throws {
        let app = try await app(enforcing: true)
        let (control, host) = (app.telemetry.readings.developerActions, try await app.mountedHost())
        let context = try #require(host.context)
        try control.perform(.fail("TillClient", ratio: 1, for: .seconds(60)))
        for _ in 0..<5 { await context.send(.sell {}) }
        #expect(try breaker(app).summary().state == .open)
        #expect(outcomes(app)["failure"] == 3)
        #expect(outcomes(app)["rejected"] == 2)
        let codes = app.telemetry.readings.errors.groups.map(\.code)
        #expect(codes.contains("AXIOM_TELEMETRY_014"))
        let reading = try #require(app.telemetry.readings.breakers.first { $0.summary.name == "TillClient" })
        #expect(reading.lastError?.contains("injected") == true)
        await host.unmount()
    }

    @Test(
        "With injected errors, calls are successes, failures and rejections exactly, and the failures are the injected ones"
    )
    func conservation() async throws {
        let app = try await app(enforcing: true)
        let (control, host) = (app.telemetry.readings.developerActions, try await app.mountedHost())
        let context = try #require(host.context)
        try control.perform(.fail("TillClient", ratio: 0.4, for: .seconds(600)))
        for _ in 0..<500 {
            await context.send(.sell {})
            time.advance(by: .milliseconds(300))
        }
        let counts = outcomes(app)
        let sum = counts["success", default: 0] + counts["failure", default: 0] + counts["rejected", default: 0]
        #expect(sum == 500)
        #expect(counts["cancelled", default: 0] == 0)
        #expect(counts["failure", default: 0] > 0)
        let gate = try #require(app.telemetry.faultGate(for: ComponentDescriptor(kind: .client, name: "TillClient")))
        #expect(Double(gate.counts.failed) == counts["failure"])
        #expect(await context.till.state.sales == Int(counts["success", default: 0]))
        await host.unmount()
    }

    @Test("A breaker that is forced open rejects, is closed again at its time, and each is recorded")
    func forcedOpen() async throws {
        let app = try await app()
        let (control, breaker) = (app.telemetry.readings.developerActions, try breaker(app))
        let sentence = try control.perform(.openBreaker("TillClient", for: .seconds(60)))
        #expect(sentence == "Circuit TillClient forced open until 22:14:20 UTC")
        #expect(breaker.summary().state == .forcedOpen)
        #expect(control.inForce.map(\.sentence) == [sentence])
        await time.waitForSleepers(1)
        time.advance(by: .seconds(60))
        #expect(control.inForce.isEmpty)
        // The task that sleeps may have begun to end the action.
        while control.uses.count < 2 { await Task.yield() }
        #expect(breaker.summary().state == .shadow)
        #expect(control.uses.map(\.kind) == [.used, .expired])
        #expect(control.uses.last?.sentence == "Circuit TillClient forced open: its time is over")
    }

    @Test("A breaker in shadow mode is enforcing again after a reset, and after its time")
    func shadow() async throws {
        let app = try await app(enforcing: true)
        let (control, breaker) = (app.telemetry.readings.developerActions, try breaker(app))
        for ends in [true, false] {
            try control.perform(.shadowBreaker("TillClient", for: .seconds(30)))
            #expect(breaker.summary().state == .shadow)
            #expect(breaker.configuration.mode == .shadow)
            if ends { try control.perform(.resetBreaker("TillClient")) } else { time.advance(by: .seconds(30)) }
            #expect(control.inForce.isEmpty)
            #expect(breaker.summary().state == .closed)
            #expect(breaker.configuration.mode == .enforcing)
        }
        try control.perform(.openBreaker("TillClient", for: .seconds(30)))
        try control.perform(.shadowBreaker("TillClient", for: .seconds(30)))
        #expect(breaker.summary().state == .shadow)
        #expect(control.inForce.count == 1)
    }

    @Test("A capability that is taken away throws until it is brought back, or its time is over")
    func capability() async throws {
        let app = try await app()
        let (control, host) = (app.telemetry.readings.developerActions, try await app.mountedHost())
        let context = try #require(host.context)
        try control.perform(.takeAway("Vault", for: .seconds(60)))
        await #expect(throws: CapabilityError.self) { try await context.till.process(.sell {}) }
        try control.perform(.bringBack("Vault"))
        try await context.till.process(.sell {})
        try control.perform(.takeAway("Vault", for: .seconds(60)))
        time.advance(by: .seconds(60))
        try await context.till.process(.sell {})
        await host.unmount()
    }

    @Test("An expired action ends without a call and without a reader: its task ends it")
    func expiryByTask() async throws {
        let app = try await app()
        let (control, ended) = (app.telemetry.readings.developerActions, AsyncStream<ActionUse>.makeStream())
        control.onUse { ended.continuation.yield($0) }
        try control.perform(.delay("TillClient", by: .seconds(2), for: .seconds(60)))
        await time.waitForSleepers(1)
        time.advance(by: .seconds(60))
        var kinds: [ActionUse.Kind] = []
        for await use in ended.stream {
            kinds.append(use.kind)
            if use.kind == .expired { break }
        }
        #expect(kinds == [.used, .expired])
        let gate = try #require(app.telemetry.faultGate(for: ComponentDescriptor(kind: .client, name: "TillClient")))
        #expect(!gate.isSet)
    }

    @Test("The shutdown of the application ends everything")
    func shutdown() async throws {
        let app = try await app(enforcing: true)
        let (control, breaker) = (app.telemetry.readings.developerActions, try breaker(app))
        try control.perform(.openBreaker("TillClient", for: .seconds(600)))
        try control.perform(.delay("MailClient", by: .seconds(1), for: .seconds(600)))
        try control.perform(.fail("MailClient", ratio: 1, for: .seconds(600)))
        try control.perform(.takeAway("Vault", for: .seconds(600)))
        #expect(control.inForce.count == 4)
        await app.orchestrator.shutdown()
        #expect(control.inForce.isEmpty)
        #expect(breaker.summary().state == .closed)
        for (kind, name) in [(ComponentKind.client, "MailClient"), (.capability, "Vault")] {
            #expect(app.telemetry.faultGate(for: ComponentDescriptor(kind: kind, name: name))?.isSet == false)
        }
        #expect(control.uses.suffix(4).map(\.kind) == [.ended, .ended, .ended, .ended])
    }

    @Test("A component that does not exist or has no such part is named, and nothing is recorded")
    func unknown() async throws {
        let control = try await app().telemetry.readings.developerActions
        for action in [
            DeveloperAction.openBreaker("Nobody", for: .seconds(1)), .openBreaker("Vault", for: .seconds(1)),
            .delay("Vault", by: .seconds(1), for: .seconds(1)), .takeAway("TillClient", for: .seconds(1)),
        ] {
            let refusal = #expect(throws: ActionRefusal.self) { try control.perform(action) }
            #expect(refusal?.message.contains(action.component) == true)
        }
        #expect(control.uses.isEmpty)
    }

    @Test("The latest 100 uses are kept")
    func log() async throws {
        let control = try await app().telemetry.readings.developerActions
        for _ in 0..<150 { try control.perform(.endFaults("TillClient")) }
        #expect(control.uses.count == 100)
        #expect(control.uses.map(\.id) == Array(51...150))
    }
}
#endif
