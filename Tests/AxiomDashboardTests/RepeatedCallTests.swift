// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomMetrics
import AxiomResilience
import AxiomTestSupport
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation

@Suite("What is called or loaded again and again", .timeLimit(.minutes(10)))
struct RepeatedCallTests {
    private func verdict(_ workshop: Workshop) throws -> [String] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value)
            .filter { $0["ended"]?.number == nil && $0["cause"]?.number == nil }
            .map { "\($0["kind"]?.string ?? ""): \($0["text"]?.string ?? "")" }
    }

    /// A client that calls a gateway, which calls a vault; and the probes of the calls.
    private func workshop() throws -> (Workshop, [any CapabilityProbe]) {
        let workshop = try Workshop(["Booking"])
        let (gateway, vault) = ("Gateway", "Vault")
        let components = [gateway, vault].map { ComponentDescriptor(kind: .capability, name: $0) }
        let callers = [workshop.components[0], components[0]]
        let probes = try zip(callers, components).map { caller, capability in
            workshop.telemetry.registered(capability, module: "Trips")
            workshop.telemetry.resolved(ComponentDependency(from: caller, to: capability))
            return try #require(workshop.telemetry.capabilityProbe(for: capability, calledBy: caller))
        }
        for _ in 0..<10 { workshop.tick() }
        return (workshop, probes)
    }

    private func call(_ probe: any CapabilityProbe, retries: Int, _ outcome: ActionOutcome = .success) {
        let number = probe.number(of: "open")
        probe.began(number)
        for _ in 0..<retries { probe.retried() }
        probe.ended(number, outcome: outcome, nanoseconds: 1_000_000)
    }

    @Test("A capability whose calls are repeated is an observation with its caller, for a minute")
    func capability() throws {
        let (workshop, probes) = try workshop()
        for second in 0..<60 {
            call(probes[1], retries: second.isMultiple(of: 10) ? 8 : 7)
            workshop.tick()
        }
        let expected = "note: Vault is called again 7.1 times a call by Gateway: 426 retries in a minute"
        #expect(try verdict(workshop) == [expected])
        for _ in 0..<80 { workshop.tick() }
        #expect(try verdict(workshop) == [])
        let past = try Viewer(workshop.dashboard.snapshot()).lists["problems"]?.values.first?["text"]?.string
        #expect(past?.hasPrefix("Vault was called again ") == true)
    }

    @Test("If the calls fail, it follows from the failure, whose sentence has it")
    func failure() throws {
        let (workshop, probes) = try workshop()
        let (booking, vault) = (workshop.components[0], ComponentDescriptor(kind: .capability, name: "Vault"))
        for _ in 0..<60 {
            call(probes[1], retries: 7, .failure)
            workshop.telemetry.ended(EndedError(Workshop.Broken(), origin: vault, boundary: booking))
            workshop.tick()
        }
        let found = try verdict(workshop)
        #expect(found.count == 1, "\(found)")
        #expect(found.first?.hasPrefix("bad: Vault fails: Broken") == true, "\(found)")
        #expect(found.first?.contains("it is called again 7 times a call") == true, "\(found)")
    }

    @Test("A capability that fails for another reason is no cause of repeated calls elsewhere")
    func unrelated() throws {
        let index = ComponentIndex()
        let names = ["Network", "Gateway", "Vault", "Booking"]
        let kinds: [ComponentKind] = [.capability, .capability, .capability, .client]
        let components = zip(kinds, names).map { ComponentDescriptor(kind: $0, name: $1) }
        let edges = [(3, 1), (1, 2), (3, 0)].map { ComponentDependency(from: components[$0], to: components[$1]) }
        var folding = CauseFolding(edges, CallTimes())
        func problem(_ name: String, _ level: ProblemLevel, _ symptom: Symptom, _ subjects: [String]) -> Problem {
            Problem(
                key: name,
                level: level,
                kind: .error,
                component: nil,
                text: name,
                symptom: symptom,
                subjects: subjects
            )
        }
        let retries = problem("retries", .observation, .repeated("7 times a call"), ["Gateway", "Booking"])
        for (failing, isCause) in [("Network", false), ("Vault", true), ("Gateway", true), ("Booking", true)] {
            let error = problem("error", .bad, .failing(code: "CODE"), [failing])
            let found = folding.fold([error, retries], index).first { $0.key == "retries" }
            #expect((found?.cause != nil) == isCause, "\(failing)")
        }
    }

    @Test("A retry that the application watches is named by its own name")
    func policy() async throws {
        let workshop = try Workshop(["Booking"])
        let retry = try Retry("payments", clock: .manual(workshop.time)) { rules in
            (rules.backoff, rules.maximumAttempts, rules.budget) = (.none, 4, nil)
        }
        try workshop.telemetry.watch(retry)
        for _ in 0..<10 { workshop.tick() }
        for _ in 0..<60 {
            try? await retry.run { throw Workshop.Broken() }
            workshop.tick()
        }
        #expect(try verdict(workshop) == ["note: Retry payments repeats 3 times a call: 180 retries in a minute"])
    }

    @Test("A retry of one call in twenty, and few retries, are no storm", arguments: 0..<4)
    func healthy(_ run: Int) throws {
        let seed = TestSeed.drawn()
        var random = SplitMix64(seed: seed &+ UInt64(run))
        let (workshop, probes) = try workshop()
        for second in 0..<200 {
            for probe in probes {
                if run.isMultiple(of: 2) {
                    for _ in 0..<Int.random(in: 0..<40, using: &random) {
                        call(probe, retries: Int.random(in: 0..<20, using: &random) == 0 ? 1 : 0)
                    }
                } else if second.isMultiple(of: 20) {
                    call(probe, retries: Int.random(in: 0..<8, using: &random))
                }
            }
            workshop.tick()
            guard second.isMultiple(of: 20) else { continue }
            let found = try verdict(workshop)
            #expect(!found.contains { $0.contains("again") }, "seed \(seed), run \(run), second \(second): \(found)")
        }
    }

    @Test("Three stampedes on a cache in a minute are an observation with the callers of each, and two are none")
    func stampedes() throws {
        let workshop = try Workshop(["Booking"])
        let counters = try ["stampedes", "stampede_loads"].map { name in
            let family = SignalFamily("axiom_cache_\(name)_total", .counter, help: "Some.", labels: ["cache"])
            return try #require(workshop.telemetry.signal(family, ["PriceCache"]))
        }
        for _ in 0..<10 { workshop.tick() }
        func stampede(_ times: Int) {
            for _ in 0..<times {
                counters[0].increment()
                counters[1].add(30)
            }
        }
        stampede(2)
        for _ in 0..<50 { workshop.tick() }
        #expect(try verdict(workshop) == [])
        for _ in 0..<70 { workshop.tick() }
        stampede(5)
        for _ in 0..<10 { workshop.tick() }
        let text = "30 callers missed one key of PriceCache at once, 5 times in a minute"
        #expect(try verdict(workshop) == ["note: \(text); load it once with value(for:orLoad:)"])
        for _ in 0..<80 { workshop.tick() }
        #expect(try verdict(workshop) == [])
    }
}
#endif
