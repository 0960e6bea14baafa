// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomTestSupport
import Testing

@testable import AxiomDashboard
@testable import AxiomInstrumentation

@Suite("The rows of the calls of capabilities", .timeLimit(.minutes(10)))
struct CapabilityCallRowTests {
    private let network = ComponentDescriptor(kind: .capability, name: "Network")
    private let disk = ComponentDescriptor(kind: .capability, name: "Disk")

    private func row(
        _ workshop: Workshop,
        _ list: String,
        where matches: ([String: JSONItem]) -> Bool
    ) throws -> [String: JSONItem] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists[list] ?? [:]
        let found = rows.values.first(where: matches)
        return try #require(found, "\(list)")
    }

    /// A workshop whose client Saw calls a network, which calls a disk.
    private func workshop() throws -> (Workshop, any CapabilityProbe, any CapabilityProbe) {
        let workshop = try Workshop(["Saw"])
        for (caller, capability) in [(workshop.components[0], network), (network, disk)] {
            workshop.telemetry.registered(capability, module: "Shop")
            workshop.telemetry.resolved(ComponentDependency(from: caller, to: capability))
        }
        let telemetry = workshop.telemetry
        let toNetwork = try #require(telemetry.capabilityProbe(for: network, calledBy: workshop.components[0]))
        return (workshop, toNetwork, try #require(telemetry.capabilityProbe(for: disk, calledBy: network)))
    }

    private func call(_ probe: any CapabilityProbe, _ name: StaticString, _ outcome: ActionOutcome, _ time: Int64 = 0) {
        let number = probe.number(of: name)
        probe.began(number)
        probe.ended(number, outcome: outcome, nanoseconds: time * 1_000_000_000)
    }

    @Test("A capability has calls, rate, failing, percentiles and calls in flight, and each call has a row")
    func calls() throws {
        let (workshop, toNetwork, toDisk) = try workshop()
        for _ in 0..<10 { workshop.tick() }
        for _ in 0..<8 { call(toNetwork, "load", .success, 2) }
        call(toNetwork, "load", .failure, 2)
        call(toNetwork, "save", .rejected)
        toNetwork.began(toNetwork.number(of: "save"))
        call(toDisk, "read", .success)
        for _ in 0..<20 { workshop.tick() }
        let component = try row(workshop, "components") { $0["name"]?.string == "Network" }
        #expect(component["calls"]?.number == 10)
        // The rejected one among them: it is what a capability that there is not does to its callers.
        #expect(component["errors"]?.number == 2)
        #expect(component["errorRatio"]?.number == 0.2)
        #expect(component["inFlight"]?.number == 1)
        #expect((component["rate"]?.number ?? 0) > 0)
        #expect((1.5...2.5).contains(component["p99"]?.number ?? 0))
        let load = try row(workshop, "calls") { $0["action"]?.string == "load" }
        #expect(load["success"]?.number == 8 && load["failure"]?.number == 1 && load["inFlight"]?.number == 0)
        let save = try row(workshop, "calls") { $0["action"]?.string == "save" }
        #expect(save["rejected"]?.number == 1 && save["inFlight"]?.number == 1)
        let slow = try row(workshop, "slowest") { $0["action"]?.string == "load" }
        #expect(slow["seconds"]?.number == 2)
    }

    @Test("The edges from a client and from a capability to a capability have calls, rate and failing")
    func edges() throws {
        let (workshop, toNetwork, toDisk) = try workshop()
        for _ in 0..<10 { workshop.tick() }
        for _ in 0..<3 { call(toNetwork, "load", .success) }
        call(toNetwork, "load", .failure)
        call(toDisk, "read", .rejected)
        for _ in 0..<20 { workshop.tick() }
        let edge = try row(workshop, "edges") { $0["calls"]?.number == 4 }
        #expect(edge["errors"]?.number == 1 && edge["errorRatio"]?.number == 0.25)
        #expect((edge["rate"]?.number ?? 0) > 0)
        let inner = try row(workshop, "edges") { $0["calls"]?.number == 1 }
        #expect(inner["errorRatio"]?.number == 1)
    }

    @Test("The rate of the whole application counts actions, and not the calls that are part of them")
    func totals() async throws {
        let (workshop, toNetwork, _) = try workshop()
        for _ in 0..<5 { call(toNetwork, "load", .success) }
        await workshop.work(0, .quick)
        let readings = workshop.telemetry.readings
        var (actions, components) = (ActionTotals(), ComponentIndex())
        actions.update(readings.actions, &components)
        let totals = ProcessTotals(readings, readings.components, actions)
        #expect(totals.calls == 1)
        #expect(totals.durations.count == 1)
        #expect(totals.events >= 6)
    }
}
#endif
