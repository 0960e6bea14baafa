// SPDX-License-Identifier: Apache-2.0

#if Instrumented
import Axiom
import AxiomBase
import AxiomInstrumentation
import AxiomMetrics
import AxiomTestSupport
import Testing

@testable import AxiomDashboard

/// A state of 2 MB.
private struct Pile: OwnedState, Equatable {
    var text = String(repeating: "x", count: 2_000_000)
}

@Suite("Problems and their end")
struct ProblemTests {
    private func problems(_ workshop: Workshop, _ panel: String) throws -> [[String: JSONItem]] {
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        return rows.sorted { $0.key < $1.key }.map(\.value).filter { $0["panel"]?.string == panel }
    }

    @Test("A problem lasts while it is found; then it has an end and a text in the past tense; it may come back")
    func log() throws {
        var log = ProblemLog()
        let problem = Problem(
            key: "a",
            level: .bad,
            kind: .circuit,
            component: nil,
            text: "Circuit A is open",
            past: "Circuit A was open"
        )
        func expect(_ text: String, at: Double, ended: Double?, _ comment: Comment? = nil) throws {
            let row = try #require(log.rows.first { $0.id == 0 })
            #expect(row.text == text, comment)
            #expect(row.at == at, comment)
            #expect(row.ended == ended, comment)
            #expect(row.since == (at == 121 ? 121 : 100), comment)
        }
        log.record([problem], at: 100)
        try expect("Circuit A is open", at: 100, ended: nil)
        log.record([problem], at: 105)
        try expect("Circuit A is open", at: 100, ended: nil, "it is sent again after 10 s, not before")
        log.record([], at: 110)
        try expect("Circuit A was open", at: 100, ended: 110)
        log.record([], at: 120)
        try expect("Circuit A was open", at: 100, ended: 110, "it ends once")
        log.record([problem], at: 121)
        try expect("Circuit A is open", at: 121, ended: nil)
        let earlier = try #require(log.rows.first { $0.id != 0 })
        #expect(log.rows.count == 2)
        #expect(earlier.later == 0)
        #expect(earlier.text == "Circuit A was open")
        #expect(earlier.since == 100 && earlier.ended == 110)
    }

    @Test("Of a problem that flaps the last ten times are kept, and it displaces no other problem")
    func flapping() throws {
        var log = ProblemLog()
        let (steady, flapping) = (problem("steady"), problem("flapping"))
        for step in 0..<1_000 {
            log.record(step.isMultiple(of: 2) ? [steady, flapping] : [steady], at: Double(100 + step))
        }
        let earlier = log.rows.filter { $0.later != nil }
        #expect(earlier.count == 10)
        #expect(earlier.map(\.since) == stride(from: 1_078, through: 1_096, by: 2).map(Double.init))
        #expect(earlier.allSatisfy { $0.ended == $0.since + 1 })
        #expect(log.rows.count == 12)
        #expect(log.rows.first { $0.text == "steady" }?.since == 100)
        log.record([], at: 1_100 + 86_400)
        #expect(log.rows.isEmpty)
    }

    @Test("Many problems that flap take bounded memory, and those that were seen last are kept")
    func manyFlapping() throws {
        var log = ProblemLog()
        for step in 0..<200 {
            let keys = step.isMultiple(of: 2) ? (0..<60).map { problem("p\($0)") } : []
            log.record(keys, at: Double(100 + step))
            #expect(log.rows.count <= 160)
        }
        #expect(log.rows.count { $0.later != nil } == 100)
    }

    @Test("A storm that is over hides no observation, and many observations hide no problem that lasts")
    func displacement() {
        var log = ProblemLog()
        log.record((0..<100).map { problem("storm \($0)") }, at: 1)
        log.record([problem("new", .observation)], at: 2)
        #expect(log.rows.count == ProblemLog.capacity)
        #expect(log.rows.contains { $0.text == "new" })
        log.record([problem("old")] + (0..<300).map { problem("\($0)", .observation) }, at: 3)
        #expect(log.rows.count == ProblemLog.capacity)
        #expect(log.rows.contains { $0.text == "old" })
    }

    @Test("A cause began with the first of its symptoms, and not with what was observed before")
    func beginning() throws {
        var log = ProblemLog()
        var (observed, error) = (problem("observed", .observation), problem("error"))
        log.record([observed], at: 1)
        log.record([observed, error], at: 5)
        (observed.cause, error.cause) = ("cause", "cause")
        log.record([observed, error, problem("cause")], at: 9)
        #expect(try #require(log.rows.first { $0.text == "cause" }).since == 5)
    }

    private func problem(_ key: String, _ level: ProblemLevel = .bad) -> Problem {
        Problem(key: key, level: level, kind: .circuit, component: nil, text: key)
    }

    @Test("A limit that was kept for long and is missed now is observed within seconds")
    func lateMiss() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<5_000 { await workshop.work(0, .quick) }
        for _ in 0..<40 { workshop.tick() }
        #expect(try problems(workshop, "budgets").isEmpty)
        for _ in 0..<30 {
            for _ in 0..<30 { await workshop.work(0, .slow) }
            workshop.tick()
        }
        let found = try problems(workshop, "budgets")
        #expect(found.map { $0["kind"]?.string } == ["note"])
        #expect(found.first?["text"]?.string?.hasPrefix("Saw's client_action takes") == true)
    }

    @Test("A budget of memory that is missed is no slowness, and accuses nothing of it")
    func memory() throws {
        let workshop = try Workshop([], budgets: [.override("state_memory", bytes: 4_096), .confirm("state_memory")])
        let clients = ["Map", "Search"].map { ComponentDescriptor(kind: .client, name: $0) }
        let database = ComponentDescriptor(kind: .capability, name: "Database")
        workshop.telemetry.registered(database, module: "")
        for client in clients {
            workshop.telemetry.registered(client, module: "")
            workshop.telemetry.resolved(ComponentDependency(from: client, to: database))
            let probe = try #require(workshop.telemetry.stateProbe(for: client))
            probe.storeMade { Pile() }
        }
        for second in 0..<120 {
            workshop.tick()
            if second.isMultiple(of: 11) { _ = workshop.telemetry.registry.collect() }
        }
        let rows = try Viewer(workshop.dashboard.snapshot()).lists["problems"] ?? [:]
        let texts = rows.values.compactMap { $0["text"]?.string }
        #expect(texts.count == 1 && texts[0].hasPrefix("Budget state_memory is missed"), "\(texts)")
    }

    @Test("An error that comes again and again is a problem for five minutes after it, and then has ended")
    func errors() async throws {
        let workshop = try Workshop(["Saw"])
        for _ in 0..<10 {
            await workshop.work(0, .broken)
            workshop.tick()
        }
        #expect(try problems(workshop, "errors").map { $0["ended"] ?? nil } == [nil])
        for _ in 0..<400 { workshop.tick() }
        let ended = try problems(workshop, "errors")
        #expect(ended.count == 1)
        #expect(try #require(ended.first)["ended"]?.number != nil)
    }

    @Test("A budget that is missed is a problem and an event where it is confirmed; a default is neither")
    func budgets() async throws {
        for isConfirmed in [false, true] {
            let workshop = try Workshop(["Saw"], budgets: isConfirmed ? [.confirm("client_action")] : [])
            for _ in 0..<12 {
                await workshop.work(0, .slow)
                workshop.tick()
            }
            let viewer = try Viewer(workshop.dashboard.snapshot())
            let row = try #require(viewer.lists["budgets"]?.values.first { $0["name"]?.string == "client_action" })
            // The report is made every other second.
            #expect(row["violations"]?.number == 12)
            #expect(row["status"]?.string == (isConfirmed ? "violated" : "default"))
            let saw = try #require(viewer.lists["components"]?.values.first { $0["name"]?.string == "Saw" })
            #expect(saw["budget"]?.string == (isConfirmed ? "violated" : "default"))
            let events = viewer.lists["events"]?.values.filter { $0["kind"]?.string == "violation" } ?? []
            #expect(events.isEmpty != isConfirmed)
            let found = try problems(workshop, "budgets")
            #expect(found.count == (isConfirmed ? 1 : 0))
            guard isConfirmed else { continue }
            let text = try #require(found.first?["text"]?.string)
            #expect(text == "Budget client_action is missed by Saw: 100 % over 8 ms in 5 minutes, 5 % allowed")
            for _ in 0..<400 { workshop.tick() }
            #expect(found.first?["component"]?.number == saw["id"]?.number)
            let past = try #require(try problems(workshop, "budgets").first)
            #expect(past["text"]?.string?.hasPrefix("Budget client_action was missed by Saw: ") == true)
            #expect(past["ended"]?.number != nil)
        }
    }
}
#endif
