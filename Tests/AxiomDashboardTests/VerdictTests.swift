// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomResilience
import AxiomSampleApp
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

/// A capability whose status a test reports.
private actor Locator: Capability, Component {
    nonisolated let identity: ComponentIdentity
    nonisolated let status: CapabilityStatus

    init(_ scope: borrowing CapabilityScope) {
        identity = scope.identity
        status = scope.status
    }
}

@Suite("What the verdict of the page says", .timeLimit(.minutes(10)))
struct VerdictTests {
    private func problems(_ dashboard: Dashboard) throws -> [[String: JSONItem]] {
        let rows = try Viewer(dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value)
    }

    /// The kinds and texts of the problems that last and have no cause.
    private func verdict(_ dashboard: Dashboard) throws -> [String] {
        try problems(dashboard).filter { ($0["ended"] ?? nil) == nil && ($0["cause"] ?? nil) == nil }
            .map { "\($0["kind"]?.string ?? ""): \($0["text"]?.string ?? "")" }
    }

    /// Three clients with a budget, and the probes of their calls of two capabilities.
    private func trips() throws -> (workshop: Workshop, probes: [[String: any CapabilityProbe]]) {
        let workshop = try Workshop(["Booking", "Map", "Search"], budgets: [.confirm("client_action")])
        let probes = workshop.components.map { client in
            var probes: [String: any CapabilityProbe] = [:]
            for name in ["Gateway", "Database"] {
                let capability = ComponentDescriptor(kind: .capability, name: name)
                workshop.telemetry.registered(capability, module: "")
                workshop.telemetry.resolved(ComponentDependency(from: client, to: capability))
                probes[name] = workshop.telemetry.capabilityProbe(for: capability, calledBy: client)
            }
            return probes
        }
        return (workshop, probes)
    }

    /// Lets each client do these jobs in each second. Each job calls each capability once, which takes so many ms.
    private func work(
        _ trips: (workshop: Workshop, probes: [[String: any CapabilityProbe]]),
        seconds: Int,
        _ jobs: [Workshop.Job],
        _ times: [String: Int64]
    ) async {
        for _ in 0..<seconds {
            for client in 0..<3 {
                for job in jobs {
                    await trips.workshop.work(client, job)
                    for (name, probe) in trips.probes[client] {
                        let number = probe.number(of: "load")
                        probe.began(number)
                        probe.ended(number, outcome: .success, nanoseconds: times[name, default: 1] * 1_000_000)
                    }
                }
            }
            trips.workshop.tick()
        }
    }

    @Test("The times of calls reach the verdict: the slow one of two capabilities is named, whichever it is")
    func measured() async throws {
        for culprit in ["Database", "Gateway"] {
            let trips = try trips()
            await work(trips, seconds: 30, [.slow], [culprit: 27])
            #expect(try verdict(trips.workshop.dashboard).contains("bad: \(culprit) is slow: 3 of 3 clients are slow"))
        }
    }

    @Test("The excess over the time before the last minute reaches the verdict")
    func excess() async throws {
        // The actions of 20 ms take 30 ms.
        let (before, now): ([Workshop.Job], [Workshop.Job]) = ([.slow, .slow, .quick], [.slow, .slow, .slow])
        let innocent = try trips()
        await work(innocent, seconds: 70, before, ["Database": 16])
        await work(innocent, seconds: 60, now, ["Database": 16])
        let own = try verdict(innocent.workshop.dashboard)
        #expect(own.contains("bad: 3 clients are slow; they share Database and Gateway"), "\(own)")
        let guilty = try trips()
        await work(guilty, seconds: 70, before, ["Database": 2])
        await work(guilty, seconds: 60, now, ["Database": 12])
        let found = try verdict(guilty.workshop.dashboard)
        #expect(found.contains("bad: Database is slow: 3 of 3 clients are slow"), "\(found)")
    }

    @Test("A half-open breaker is a warning while it has calls; without calls for a minute it is idle, and no problem")
    func halfOpen() async throws {
        let workshop = try Workshop(["Saw"])
        var rules = CircuitBreakerConfiguration()
        (rules.window, rules.minimumCalls, rules.openDuration) = (.count(4), 2, .seconds(5))
        (rules.halfOpenPermits, rules.openDurationJitter) = (3, 0)
        let breaker = try CircuitBreaker(name: "Till", rules, clock: .manual(workshop.time))
        try workshop.telemetry.watch(breaker)
        for _ in 0..<70 { workshop.tick() }
        for _ in 0..<4 { try? await breaker.run { throw Workshop.Broken() } }
        workshop.tick()
        #expect(try verdict(workshop.dashboard) == ["bad: Circuit Till is open, last error Broken"])
        for _ in 0..<10 { workshop.tick() }
        let warning = ["warn: Circuit Till is half-open, last error Broken"]
        #expect(try verdict(workshop.dashboard) == warning)
        for _ in 0..<70 { workshop.tick() }
        #expect(breaker.state == .halfOpen)
        #expect(try verdict(workshop.dashboard) == [])
        let ended = try #require(try problems(workshop.dashboard).first)
        #expect(ended["text"]?.string == "Circuit Till was half-open, last error Broken")
        // A probe that ends, and later one that does not.
        try await breaker.run {}
        workshop.tick()
        #expect(try verdict(workshop.dashboard) == warning)
        for _ in 0..<70 { workshop.tick() }
        #expect(try verdict(workshop.dashboard) == [])
        try await breaker.run {
            for _ in 0..<70 { workshop.tick() }
            let found = try verdict(workshop.dashboard)
            #expect(found == warning, "its probe has not ended")
        }
    }

    @Test("A capability below full is a problem with its level and reason, unless its instance is not due")
    @MainActor
    func capability() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let telemetry = try Telemetry(clock: .manual(time))
        let dashboard = Dashboard(telemetry: telemetry, name: "Trips")
        let orchestrator = Orchestrator(instrumentation: telemetry, clock: .manual(time))
        let made = Lock<Locator?>(nil)
        orchestrator.register(Locator.self) { scope in
            let locator = Locator(scope)
            made.withLock { $0 = locator }
            return locator
        }
        func shown() throws -> [String] {
            time.advance(by: .seconds(1))
            dashboard.sample()
            return try verdict(dashboard)
        }
        #expect(try shown() == [], "it was not initialised yet")
        try await orchestrator.start()
        #expect(try shown() == [])
        let status = try #require(made.withLock { $0 }).status
        status.report(.unavailable, because: "the location service was switched off")
        let text = "Locator is unavailable: the location service was switched off"
        #expect(try shown() == ["bad: \(text)"])
        status.report(.limited)
        #expect(try shown() == ["warn: Locator is limited"])
        let row = try #require(try problems(dashboard).first)
        #expect(row["panel"]?.string == "capabilities" && row["component"]?.number != nil)
        status.report(.full)
        #expect(try shown() == [])
        #expect(try problems(dashboard).first?["text"]?.string == "Locator was limited")
        await orchestrator.shutdown()
        // This test still holds it.
        #expect(try shown() == ["warn: Locator: 1 leak suspect"], "its shutdown is none")
    }

    @Test("A capability that a developer took away is one warning, which says so")
    @MainActor
    func removal() async throws {
        let time = ManualTime(secondsSinceEpoch: 1_700_000_000)
        let app = try await SampleApp.started(clock: .manual(time))
        let dashboard = Dashboard(telemetry: app.telemetry, name: "Shop", features: [.allowsActions])
        try app.telemetry.readings.developerActions.perform(.takeAway("Vault", for: .seconds(60)))
        time.advance(by: .seconds(1))
        dashboard.sample()
        let found = try verdict(dashboard)
        #expect(found.count == 1 && found[0].hasPrefix("warn: Capability Vault taken away"), "\(found)")
        let all = try problems(dashboard).map { $0["text"]?.string ?? "" }
        #expect(all.contains { $0.hasPrefix("Vault is unavailable") }, "\(all)")
        await app.orchestrator.shutdown()
    }

    @Test("A missed limit that nobody confirmed is an observation after 20 checks, until five minutes without")
    func observation() async throws {
        let workshop = try Workshop(["Saw", "Plane"])
        for check in 1...24 {
            await workshop.work(0, .slow)
            await workshop.work(1, .quick)
            workshop.tick()
            guard check == 18 else { continue }
            let early = try verdict(workshop.dashboard)
            #expect(early == ["warn: Plane uses Saw: a client may use capabilities only"])
        }
        let found = try verdict(workshop.dashboard).filter { $0.hasPrefix("note") }
        #expect(found == ["note: Saw's client_action takes 28.7 ms at p99, 3.6× the default limit"])
        let row = try #require(try problems(workshop.dashboard).first { $0["kind"]?.string == "note" })
        #expect(row["panel"]?.string == "budgets" && row["component"]?.number == 0)
        for _ in 0..<400 { workshop.tick() }
        let ended = try #require(try problems(workshop.dashboard).first { $0["kind"]?.string == "note" })
        #expect(ended["ended"]?.number != nil)
        #expect(ended["text"]?.string?.hasPrefix("Saw's client_action took ") == true)
    }

    @Test("Two slow actions of 24 are no observation, although the objective allows fewer")
    func weakEvidence() async throws {
        let workshop = try Workshop(["Saw"])
        for check in 1...24 {
            await workshop.work(0, check > 22 ? .slow : .quick)
            workshop.tick()
        }
        #expect(try verdict(workshop.dashboard) == [])
    }

    @Test("Observations displace no problem that lasts from the log")
    func displacement() {
        func problem(_ key: String, _ level: ProblemLevel) -> Problem {
            Problem(key: key, level: level, kind: .budget, component: nil, text: key)
        }
        var log = ProblemLog()
        log.record([problem("old", .warning)], at: 1)
        log.record([problem("old", .warning)] + (0..<300).map { problem("\($0)", .observation) }, at: 2)
        #expect(log.rows.count == ProblemLog.capacity)
        #expect(log.rows.contains { $0.text == "old" })
        #expect(ProblemLevel.allCases.sorted().map(\.rawValue) == ["bad", "warn", "note"])
    }
}
#endif
